import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { formType, synthesisRequest, transcriptionRequest, validForm } from "./support/messages.js"
import { cannedService, serviceTests } from "./support/service.js"

const right = { stt: validForm(), tts: '{"text":"a"}' } as const
const wrong = { stt: "no form", tts: "no JSON" } as const

const operations = [
  { listener: "stt", path: "/api/transcribe", type: formType, request: transcriptionRequest },
  { listener: "tts", path: "/tts/bytes", type: "application/json", request: synthesisRequest }
] as const

serviceTests("a key", cannedService(), (it) => {
  const forgeries: Readonly<Record<string, (key: string) => string>> = {
    empty: () => "",
    "a word": () => "secret",
    "its prefix and another secret": (key) => `${key.split(".")[0]}.${"A".repeat(43)}`,
    "another prefix and its secret": (key) => `local_000000000000.${key.split(".")[1]}`,
    cut: (key) => key.slice(0, -1),
    longer: (key) => `${key}A`,
    "in lower case": (key) => key.toLowerCase(),
    "in upper case": (key) => key.toUpperCase(),
    "in quotes": (key) => `"${key}"`,
    "after Bearer": (key) => `Bearer ${key}`,
    "twice in a list": (key) => `${key}, ${key}`,
    "with a space in it": (key) => key.replace(".", ". "),
    "percent-encoded": (key) => key.replace(".", "%2E"),
    "of 10,000 characters": () => `a.${"b".repeat(10_000)}`,
    "not ASCII": () => "schlüssel.é",
    "a pattern of SQL": () => "' OR '1'='1"
  }
  it.each(operations)("that is forged is 401 at $path before the body is checked", function* (box, operation) {
    const { listener, request } = operation
    for (const [name, forge] of Object.entries(forgeries)) {
      for (const body of [right[listener], wrong[listener]]) {
        expect((yield* box.raw(listener, request(forge(box.key), body))).answer.status, name).toBe(401)
      }
    }
  })

  it.each(operations)("that is not in its header is 401 at $path", function* ({ key, send }, operation) {
    const { listener, type } = operation
    const elsewhere: ReadonlyArray<Record<string, string | Array<string>>> = [
      {},
      { Authorization: `Bearer ${key}` },
      { Authorization: key },
      { Cookie: `X-API-Key=${key}` },
      { "X-ApiKey": key },
      { "X-Admin-Token": key },
      { "Proxy-Authorization": `Bearer ${key}` },
      // Two headers.
      { "X-Api-Key": [key, key] },
      { "X-Api-Key": ["a.b", key] }
    ]
    for (const headers of elsewhere) {
      const request = { path: operation.path, headers: { ...headers, "Content-Type": type }, body: right[listener] }
      expect((yield* send(listener, request)).status).toBe(401)
    }
    const path = `${operation.path}?api_key=${key}&x-api-key=${key}`
    const inQuery = { path, headers: { "Content-Type": type }, body: right[listener] }
    expect((yield* send(listener, inQuery)).status).toBe(401)
  })

  it("gives the same error on synthesis for every reason, which the journal has", function* ({ ask, key, synthesize }) {
    const reasons: Array<unknown> = []
    const refusals: Array<string> = []
    const refused = (headers: Record<string, string> = {}) =>
      Effect.gen(function* () {
        const { status, text } = yield* synthesize({ text: "a" }, headers)
        refusals.push(`${status} ${text}`)
        const { keyId, refusal, refusedKeyId } = (yield* ask("GET", "/requests")).json().at(-1)
        reasons.push([keyId, refusal, refusedKeyId])
      })
    yield* refused({ "X-API-Key": "a.b" })
    for (const changes of [{ state: "closed" }, { credits: 0 }]) {
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
    expect(refusals.length).toBe(5)
    expect(reasons).toEqual([
      [null, "unknownKey", undefined],
      [null, "accountNotActive", active.id],
      [null, "noCredit", active.id],
      [null, "missingScope", active.id],
      [null, "unknownKey", active.id]
    ])
    expect(new Set(refusals)).toEqual(new Set(['401 {"error":"the API key was not accepted"}']))
    yield* ask("POST", "/reset")
    expect((yield* synthesize({ text: "a" }, { "X-API-Key": key })).status).toBe(200)
  })
})

serviceTests("the checks of a call", cannedService(), (it) => {
  it("have an order: key, state, scope, credit, body", function* ({ ask, synthesize, transcribe }) {
    const { id } = (yield* ask("GET", "/keys")).json().active
    const statuses = Effect.all([
      transcribe(wrong.stt, { "X-Api-Key": "a.b" }),
      transcribe(wrong.stt),
      transcribe(right.stt),
      synthesize(wrong.tts),
      synthesize(right.tts)
    ]).pipe(Effect.map((answers) => answers.map(({ status }) => status)))
    const allow = (scopes: ReadonlyArray<string>) => ask("PATCH", `/keys/${id}`, { scopes })
    yield* ask("PATCH", "/account", { state: "suspended", credits: 0 })
    expect(yield* statuses).toEqual([401, 403, 403, 401, 401])
    yield* ask("PATCH", "/account", { state: "active" })
    yield* allow([])
    expect(yield* statuses).toEqual([401, 403, 403, 401, 401])
    yield* allow(["stt:transcribe"])
    expect(yield* statuses).toEqual([401, 402, 402, 401, 401])
    yield* ask("PATCH", "/account", { credits: 100 })
    expect(yield* statuses).toEqual([401, 400, 200, 401, 401])
    yield* allow(["tts:synth"])
    expect(yield* statuses).toEqual([401, 403, 403, 400, 200])
  })
})

serviceTests("the keys of an account", cannedService(), (it) => {
  it("are replaced only with a confirmation, otherwise 409", function* ({ ask }) {
    expect((yield* ask("POST", "/keys", { name: "next" })).status).toBe(409)
    expect((yield* ask("POST", "/keys", { name: "next", confirm: false })).status).toBe(409)
    const { id, key, revokedAt } = (yield* ask("POST", "/keys", { name: "next", confirm: true })).json()
    expect(key).toMatch(/^local_[0-9a-f]{12}\.[\w-]{43}$/)
    expect(revokedAt).toBeNull()
    const left = yield* ask("POST", `/keys/${id}/revoke`)
    expect(left.json()).toMatchObject({ active: null, archived: [{ name: "next" }, { name: "local" }] })
    expect((yield* ask("POST", "/keys", { name: "last" })).status).toBe(201)
  })

  it("have the same errors for a program as on the platform", function* ({ ask, service }) {
    const { createKey, revokeKey } = service.accounts
    const replacing = yield* Effect.flip(createKey({ name: "next", creator: "test", confirm: false }))
    expect(`${replacing.name}: ${replacing.message}`).toBe(
      `LocalServiceKeyActive: ${(yield* ask("POST", "/keys", { name: "next" })).json().error}`
    )
    const unknown = yield* Effect.flip(revokeKey("unknown"))
    expect(`${unknown.name}: ${unknown.message}`).toBe(
      `LocalServiceKeyNotActive: ${(yield* ask("POST", "/keys/unknown/revoke")).json().error}`
    )
  })

  it("may have any name of 100 characters", function* ({ ask }) {
    for (const name of ["x".repeat(100), "'; DROP TABLE keys; --", "दो शब्द", "😀", "__proto__"]) {
      expect((yield* ask("POST", "/keys", { name, confirm: true })).json().name).toBe(name)
      expect((yield* ask("GET", "/keys")).json().active.name).toBe(name)
    }
  })

  it("are 404 if the id is unknown, and 409 if the key is revoked", function* ({ ask }) {
    const { active } = (yield* ask("GET", "/keys")).json()
    for (const id of ["unknown", "%2e%2e", "'", "__proto__", active.id.toUpperCase().replace(/^/, "X")]) {
      expect((yield* ask("POST", `/keys/${id}/revoke`)).status).toBe(404)
      expect((yield* ask("PATCH", `/keys/${id}`, { scopes: [] })).status).toBe(404)
    }
    expect((yield* ask("POST", `/keys/${active.id}/revoke`)).status).toBe(200)
    expect((yield* ask("POST", `/keys/${active.id}/revoke`)).status).toBe(409)
    expect((yield* ask("PATCH", `/keys/${active.id}`, { scopes: [] })).status).toBe(409)
  })

  it("are never two active ones, even if 50 are created at once", function* ({ ask, synthesize }) {
    const create = (confirm: boolean) =>
      Effect.all(
        Array.from({ length: 50 }, (_, index) => ask("POST", "/keys", { name: `key ${index}`, confirm })),
        { concurrency: "unbounded" }
      )
    const created = yield* create(true)
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201))
    const keys = (yield* ask("GET", "/keys")).json()
    expect(keys.archived.length).toBe(50)
    const accepted = yield* Effect.filter(created, (answer) =>
      Effect.map(synthesize({ text: "a" }, { "X-API-Key": answer.json().key }), ({ status }) => status === 200)
    )
    expect(accepted.map((answer) => answer.json().id)).toEqual([keys.active.id])

    yield* ask("POST", `/keys/${keys.active.id}/revoke`)
    const statuses = (yield* create(false)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 49 }, () => 409)])
  })
})
