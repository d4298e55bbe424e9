import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formType, message, validForm } from "./support/messages.js"
import { cannedService, serviceTests } from "./support/service.js"

/** The two operations, each with its name for the header and a request that is right, and one that is wrong. */
const operations = [
  { operation: "transcription", listener: "stt", path: "/api/transcribe", type: formType, name: "X-Api-Key" },
  { operation: "synthesis", listener: "tts", path: "/tts/bytes", type: "application/json", name: "X-API-Key" }
] as const
const right = { stt: validForm(), tts: '{"text":"a"}' } as const
const wrong = { stt: "no form", tts: "no JSON" } as const

const each = <Row extends object>(rows: ReadonlyArray<Row>) =>
  operations.flatMap((operation) => rows.map((row) => ({ ...operation, ...row })))

/** What is put where the key is, of a key and its id. */
type Forged = (key: string) => string

serviceTests("a key", cannedService(), (it) => {
  it.each(
    each<{ readonly what: string; readonly forged: Forged }>([
      { what: "empty", forged: () => "" },
      { what: "a word", forged: () => "secret" },
      { what: "of its prefix and another secret", forged: (key) => `${key.split(".")[0]}.${"A".repeat(43)}` },
      { what: "of another prefix and its secret", forged: (key) => `local_000000000000.${key.split(".")[1]}` },
      { what: "cut", forged: (key) => key.slice(0, -1) },
      { what: "longer", forged: (key) => `${key}A` },
      { what: "in lower case", forged: (key) => key.toLowerCase() },
      { what: "in upper case", forged: (key) => key.toUpperCase() },
      { what: "in quotes", forged: (key) => `"${key}"` },
      { what: "behind Bearer", forged: (key) => `Bearer ${key}` },
      { what: "there twice in a list", forged: (key) => `${key}, ${key}` },
      { what: "with a space in it", forged: (key) => key.replace(".", ". ") },
      { what: "percent-encoded", forged: (key) => key.replace(".", "%2E") },
      { what: "of 10,000 characters", forged: () => `a.${"b".repeat(10_000)}` },
      { what: "beyond ASCII", forged: () => "schlüssel.é" },
      { what: "a pattern of SQL", forged: () => "' OR '1'='1" }
    ])
  )(
    "that is $what is 401 on $operation, before its body is looked at",
    function* ({ key, raw }, { forged, listener, name, path, type }) {
      const headers = { Host: "127.0.0.1", [name]: forged(key), "Content-Type": type }
      for (const body of [right[listener], wrong[listener]]) {
        const request = message(`POST ${path} HTTP/1.1`, { ...headers, "Content-Length": body.length }, body)
        expect((yield* raw(listener, request)).answer.status).toBe(401)
      }
    }
  )

  it.each(operations)(
    "that is in another place than its header is 401 on $operation",
    function* ({ key, send }, operation) {
      const { listener, path, type } = operation
      const body = right[listener]
      const wrongPlaces: ReadonlyArray<{ readonly path: string; readonly headers: Record<string, string> }> = [
        { path, headers: {} },
        { path: `${path}?api_key=${key}&x-api-key=${key}`, headers: {} },
        { path, headers: { Authorization: `Bearer ${key}` } },
        { path, headers: { Authorization: key } },
        { path, headers: { Cookie: `X-API-Key=${key}` } },
        { path, headers: { "X-ApiKey": key } },
        { path, headers: { "X-Admin-Token": key } },
        { path, headers: { "Proxy-Authorization": `Bearer ${key}` } }
      ]
      for (const place of wrongPlaces) {
        const headers = { ...place.headers, "Content-Type": type }
        expect((yield* send(listener, { path: place.path, headers, body })).status).toBe(401)
      }
    }
  )

  it.each(operations)(
    "that is given twice in two headers is 401 on $operation",
    function* ({ key, send }, { listener, path, type }) {
      for (const keys of [
        [key, key],
        ["a.b", key]
      ]) {
        const headers = { "X-Api-Key": keys, "Content-Type": type }
        expect((yield* send(listener, { path, headers, body: right[listener] })).status).toBe(401)
      }
    }
  )

  it.each(operations)(
    "may have white space around it on $operation",
    function* ({ key, raw }, { listener, name, path, type }) {
      const body = right[listener]
      const headers = { Host: "127.0.0.1", [name]: ` \t${key} \t`, "Content-Type": type, "Content-Length": body.length }
      expect((yield* raw(listener, message(`POST ${path} HTTP/1.1`, headers, body))).answer.status).toBe(200)
    }
  )

  it("is refused on synthesis in the same words, whatever the reason", function* ({ ask, key, synthesize }) {
    const refusals: Array<string> = []
    const refused = (headers: Record<string, string> = {}) =>
      Effect.map(synthesize({ text: "a" }, headers), ({ status, text }) => refusals.push(`${status} ${text}`))
    yield* refused({ "X-API-Key": "a.b" })
    for (const changes of [{ state: "suspended" }, { state: "closed" }, { state: "inactive" }, { credits: 0 }]) {
      yield* ask("POST", "/reset")
      yield* ask("PATCH", "/account", changes)
      yield* refused()
    }
    yield* ask("POST", "/reset")
    const { active } = (yield* ask("GET", "/keys")).json()
    yield* ask("PATCH", `/keys/${active.id}`, { scopes: ["stt:transcribe"] })
    yield* refused()
    yield* ask("POST", `/keys/${active.id}/revoke`)
    yield* refused()
    expect(refusals.length).toBe(7)
    expect(new Set(refusals)).toEqual(new Set(['401 {"error":"the API key was not accepted"}']))
    yield* ask("POST", "/reset")
    expect((yield* synthesize({ text: "a" }, { "X-API-Key": key })).status).toBe(200)
  })
})

serviceTests("an account", cannedService(), (it) => {
  const scopes = {
    none: [],
    stt: ["stt:transcribe"],
    tts: ["tts:synth"],
    both: ["tts:synth", "stt:transcribe"]
  } as const

  /** Every state with and without credit and scope: the first that is wrong is what is told. */
  it.each(
    (["active", "inactive", "suspended", "closed"] as const).flatMap((state) =>
      ([0, 100] as const).flatMap((credits) =>
        (["none", "stt", "tts", "both"] as const).map((scope) => {
          const may = { stt: scope === "stt" || scope === "both", tts: scope === "tts" || scope === "both" }
          const stt = state !== "active" || !may.stt ? 403 : credits === 0 ? 402 : 200
          return { state, credits, scope, stt, tts: state === "active" && may.tts && credits > 0 ? 200 : 401 }
        })
      )
    )
  )(
    "that is $state with $credits credits and a key with the scopes $scope is $stt on transcription and $tts on synthesis",
    function* ({ ask, synthesize, transcribe }, { credits, scope, state, stt, tts }) {
      yield* ask("POST", "/reset")
      const { active } = (yield* ask("GET", "/keys")).json()
      expect((yield* ask("PATCH", `/keys/${active.id}`, { scopes: scopes[scope] })).json().scopes).toEqual(
        scopes[scope]
      )
      yield* ask("PATCH", "/account", { state, credits })
      expect((yield* transcribe(right.stt)).status).toBe(stt)
      expect((yield* synthesize(right.tts)).status).toBe(tts)
      // The body is looked at last, and a wrong key first.
      expect((yield* transcribe(wrong.stt)).status).toBe(stt === 200 ? 400 : stt)
      expect((yield* synthesize(wrong.tts)).status).toBe(tts === 200 ? 400 : tts)
      expect((yield* transcribe(wrong.stt, { "X-Api-Key": "a.b" })).status).toBe(401)
    }
  )
})

serviceTests("the keys of an account", cannedService(), (it) => {
  it("are replaced only with a confirmation: without one it is 409, and 201 if none is active", function* ({ ask }) {
    yield* ask("POST", "/reset")
    expect((yield* ask("POST", "/keys", { name: "next" })).status).toBe(409)
    expect((yield* ask("POST", "/keys", { name: "next", confirm: false })).status).toBe(409)
    const { id, key, revokedAt } = (yield* ask("POST", "/keys", { name: "next", confirm: true })).json()
    expect(key).toMatch(/^local_[0-9a-f]{12}\.[\w-]{43}$/)
    expect(revokedAt).toBeNull()
    const left = yield* ask("POST", `/keys/${id}/revoke`)
    expect(left.json()).toMatchObject({ active: null, archived: [{ name: "next" }, { name: "local" }] })
    expect((yield* ask("POST", "/keys", { name: "last" })).status).toBe(201)
  })

  it("are refused to a program in the words of the platform", function* ({ ask, service }) {
    yield* ask("POST", "/reset")
    const { createKey, revokeKey } = service.accounts
    const replacing = yield* Effect.flip(createKey({ name: "next", creator: "test", confirm: false }))
    expect(`${replacing.name}: ${replacing.message}`).toBe(
      `KeyActive: ${(yield* ask("POST", "/keys", { name: "next" })).json().error}`
    )
    const unknown = yield* Effect.flip(revokeKey("nobody"))
    expect(`${unknown.name}: ${unknown.message}`).toBe(
      `KeyNotActive: ${(yield* ask("POST", "/keys/nobody/revoke")).json().error}`
    )
  })

  it.each([
    { body: "{}", names: "name" },
    { body: '{"name":""}', names: "name" },
    { body: '{"name":7}', names: "name" },
    { body: '{"name":null}', names: "name" },
    { body: `{"name":"${"x".repeat(101)}"}`, names: "name" },
    { body: '{"name":"a\\u0000b"}', names: "name" },
    { body: '{"name":"a\\nb"}', names: "name" },
    { body: '{"name":"\\ud83d"}', names: "name" },
    { body: '{"name":"a","confirm":"true"}', names: "confirm" },
    { body: '{"name":"a","confirm":1}', names: "confirm" },
    { body: '{"name":"a","creator":"me"}', names: "creator" }
  ])("are no more after $body, which is 400 and names $names", function* ({ ask }, { body, names }) {
    const before = (yield* ask("GET", "/keys")).text
    const answer = yield* ask("POST", "/keys", body)
    expect(answer.status).toBe(400)
    expect(answer.json().error).toContain(names)
    expect((yield* ask("GET", "/keys")).text).toBe(before)
  })

  it.each(["x".repeat(100), "'; DROP TABLE keys; --", "दो शब्द", "😀", "__proto__"])(
    "may be called %j",
    function* ({ ask }, name) {
      expect((yield* ask("POST", "/keys", { name, confirm: true })).json().name).toBe(name)
      expect((yield* ask("GET", "/keys")).json().active.name).toBe(name)
    }
  )

  it.each([
    { body: "{}", names: "scopes" },
    { body: '{"scopes":"tts:synth"}', names: "scopes" },
    { body: '{"scopes":["tts:everything"]}', names: "scopes" },
    { body: '{"scopes":[null]}', names: "scopes" },
    { body: '{"scopes":[],"name":"x"}', names: "name" }
  ])("keep their scopes after $body, which is 400 and names $names", function* ({ ask }, { body, names }) {
    yield* ask("POST", "/reset")
    const { active } = (yield* ask("GET", "/keys")).json()
    const answer = yield* ask("PATCH", `/keys/${active.id}`, body)
    expect(answer.status).toBe(400)
    expect(answer.json().error).toContain(names)
    expect((yield* ask("GET", "/keys")).json().active.scopes).toEqual(["tts:synth", "stt:transcribe"])
  })

  it("are 404 where there is none of the id, and 409 where it is revoked", function* ({ ask }) {
    yield* ask("POST", "/reset")
    const { active } = (yield* ask("GET", "/keys")).json()
    for (const id of ["unknown", "%2e%2e", "'", "__proto__", active.id.toUpperCase().replace(/^/, "X")]) {
      expect((yield* ask("POST", `/keys/${id}/revoke`)).status).toBe(404)
      expect((yield* ask("PATCH", `/keys/${id}`, { scopes: [] })).status).toBe(404)
    }
    expect((yield* ask("POST", `/keys/${active.id}/revoke`)).status).toBe(200)
    expect((yield* ask("POST", `/keys/${active.id}/revoke`)).status).toBe(409)
    expect((yield* ask("PATCH", `/keys/${active.id}`, { scopes: [] })).status).toBe(409)
  })

  it("are never two, where a hundred are made at once", function* ({ ask, synthesize }) {
    yield* ask("POST", "/reset")
    const created = yield* Effect.all(
      Array.from({ length: 100 }, (_, index) => ask("POST", "/keys", { name: `key ${index}`, confirm: true })),
      { concurrency: "unbounded" }
    )
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201))
    const keys = (yield* ask("GET", "/keys")).json()
    expect(keys.archived.length).toBe(100)
    const accepted = yield* Effect.filter(created, (answer) =>
      Effect.map(synthesize({ text: "a" }, { "X-API-Key": answer.json().key }), ({ status }) => status === 200)
    )
    expect(accepted.map((answer) => answer.json().id)).toEqual([keys.active.id])
  })

  it("are one, where a hundred are asked for at once without a word of the old one", function* ({ ask }) {
    yield* ask("POST", "/reset")
    const { active } = (yield* ask("GET", "/keys")).json()
    yield* ask("POST", `/keys/${active.id}/revoke`)
    const created = yield* Effect.all(
      Array.from({ length: 100 }, (_, index) => ask("POST", "/keys", { name: `key ${index}` })),
      { concurrency: "unbounded" }
    )
    expect(created.filter(({ status }) => status === 201).length).toBe(1)
    expect(created.filter(({ status }) => status === 409).length).toBe(99)
    expect((yield* ask("GET", "/keys")).json().archived.length).toBe(1)
  })
})
