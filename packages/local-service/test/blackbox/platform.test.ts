import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as OpenApi from "@effect/platform/OpenApi"
import { expect } from "@effect/vitest"
import { PlatformApi } from "@effect-speech/local-service"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Effect from "effect/Effect"
import type { JournalEntry } from "../../src/Journal.js"
import { field, form, message, validForm } from "./support/messages.js"
import { cannedService, serviceTests } from "./support/service.js"

/** Every endpoint that requires the admin token or a session, as `PlatformApi` declares it. */
const endpoints = Object.entries(OpenApi.fromApi(PlatformApi).paths).flatMap(([path, item]) =>
  path.startsWith("/platform/api")
    ? Object.entries(item).map(([method, { requestBody }]) => ({
        method: method.toUpperCase(),
        path: path.slice("/platform/api".length).replace("{id}", "some"),
        hasBody: requestBody?.content["application/json"] !== undefined
      }))
    : []
)
setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

serviceTests("the platform", cannedService(), (it) => {
  it("describes itself and both operations in valid OpenAPI 3.1", function* ({ send, service }) {
    const document = (yield* send("platform", { method: "GET", path: "/openapi.json" })).json()
    expect(document.openapi).toBe("3.1.0")
    expect(yield* Effect.promise(() => new Validator().validate(structuredClone(document)))).toMatchObject({
      valid: true
    })
    expect(document.paths["/api/transcribe"].post.servers[0].url).toBe(service.sttBaseUrl)
    expect(document.paths["/tts/bytes"].post.servers[0].url).toBe(service.ttsBaseUrl)
    const statuses = (path: string) => Object.keys(document.paths[path].post.responses).map(Number)
    const ofBoth = [200, 400, 401, 404, 405, 408, 413, 415, 417, 421, 431, 500]
    expect(statuses("/api/transcribe")).toEqual([...ofBoth, 402, 403, 503].toSorted())
    expect(statuses("/tts/bytes")).toEqual([...ofBoth, 502].toSorted())
  })

  it("is described by each operation at its own address too, with the languages of its models and voices", function* ({
    send
  }) {
    const documentOf = (listener: "platform" | "stt" | "tts") =>
      Effect.map(
        send(listener, { method: "GET", path: "/openapi.json" }, { undescribed: listener !== "platform" }),
        (answer) => answer.json()
      )
    const whole = yield* documentOf("platform")
    for (const [listener, path] of [
      ["stt", "/api/transcribe"],
      ["tts", "/tts/bytes"]
    ] as const) {
      const own = yield* documentOf(listener)
      expect(yield* Effect.promise(() => new Validator().validate(structuredClone(own)))).toMatchObject({ valid: true })
      expect(Object.keys(own.paths)).toEqual([path])
      const { servers: _, ...operation } = own.paths[path].post
      expect(whole.paths[path].post).toMatchObject(operation)
      expect(own.paths[path].post.servers[0].url).toBe("/")
    }
    const { model } = (yield* documentOf("stt")).paths["/api/transcribe"].post.requestBody.content[
      "multipart/form-data"
    ].schema.properties
    expect(model["x-languages"]).toMatchObject({ "hi-general-v2-8khz": "hi" })
    expect(Object.keys(model["x-languages"])).toEqual(model.enum)
    const { voice } = (yield* documentOf("tts")).paths["/tts/bytes"].post.requestBody.content["application/json"].schema
      .properties
    expect(Object.keys(voice["x-languages"])).toEqual(voice.enum)
  })

  it("has the rules of the contract and the fields of a fault in its document", function* ({ send }) {
    const { paths } = (yield* send("platform", { method: "GET", path: "/openapi.json" })).json()
    const synthesis = paths["/tts/bytes"].post.requestBody.content["application/json"].schema
    expect(synthesis.required).toEqual(["text"])
    expect(synthesis.properties).toMatchObject({
      text: { minLength: 1, maxLength: 10_000 },
      speed: { minimum: 0.25, maximum: 4 },
      num_step: { minimum: 1, maximum: 100 },
      output_format: { enum: expect.arrayContaining(["8000:pcm16", "24000:float32"]) }
    })
    const transcription = paths["/api/transcribe"].post.requestBody.content["multipart/form-data"].schema
    expect(transcription.required.toSorted()).toEqual(["audio_file", "model", "transaction_id"])
    expect(Object.keys(transcription.properties).toSorted()).toEqual(
      ["audio_file", "aux", "hotwords", "model", "parse_number", "transaction_id"].toSorted()
    )

    // One of the fields that say what happens is required.
    const { items } = paths["/platform/api/faults"].put.requestBody.content["application/json"].schema
    const which = "afterMillis every forMillis nth operation probability seed times message".split(" ")
    const what = "body delayMillis headers malformedHeader reset stallAtByte status truncateAtByte".split(" ")
    expect(Object.keys(items.properties).toSorted()).toEqual([...which, ...what].toSorted())
    expect(items.additionalProperties).toBe(false)
    const oneOf = items.allOf[0].anyOf.map(({ required }: { readonly required: ReadonlyArray<string> }) => required[0])
    expect(oneOf.toSorted()).toEqual(what)
  })

  it("shows the page and the document without the token, and no secret in them", function* ({ key, send, token }) {
    for (const path of ["/", "/openapi.json"]) {
      for (const method of ["GET", "HEAD"]) {
        const answer = yield* send("platform", { method, path })
        expect(answer.status).toBe(200)
        expect(answer.text).not.toContain(key)
        expect(answer.text).not.toContain(token)
      }
    }
  })

  it.each(endpoints)("$method $path is 401 if the token is missing or wrong", function* (box, endpoint) {
    const { hasBody, method, path } = endpoint
    const body = hasBody ? "[]" : undefined
    for (const token of [undefined, "", "x".repeat(32), `${box.token}x`, box.key]) {
      const headers = { "Content-Type": "application/json", ...(token !== undefined && { "X-Admin-Token": token }) }
      const answer = yield* box.send("platform", { method, path: `/platform/api${path}`, headers, body })
      expect(answer.status).toBe(401)
    }
  })

  it("does not show the account at another spelling of its path without the token", function* ({ raw }) {
    for (const target of [
      ...["/../../..", "/../../../", "/../../../openapi.json"].map((more) => `/platform/api/account;${more}`),
      ...["/platform/api/account#/", "/platform/api/account?/../../..", "/openapi.json/../platform/api/account"],
      ...["/openapi.json;/platform/api/account", "//platform/api/account", "/./platform/api/account"],
      "/platform/api/keys;\\..\\..\\.."
    ]) {
      for (const method of ["GET", "PATCH"]) {
        const headers = { Host: "127.0.0.1", "Content-Type": "application/json", "Content-Length": 2 }
        const request = message(`${method} ${target} HTTP/1.1`, headers, "{}")
        const { answer } = yield* raw("platform", request, { undescribed: true })
        expect(answer.text).not.toMatch(/"credits":1000000|"archived":\[/)
      }
    }
  })

  it("ignores a token in the query and in other headers", function* ({ send, token }) {
    const path = `/platform/api/account?X-Admin-Token=${token}`
    const headers = { Authorization: `Bearer ${token}`, Cookie: `X-Admin-Token=${token}` }
    expect((yield* send("platform", { method: "GET", path, headers })).status).toBe(401)
  })

  it("allows only the methods of a path, and others are 405", function* ({ ask }) {
    for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
      const methods = endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method)
      const answer = yield* ask(methods.includes("DELETE") ? "PATCH" : "DELETE", path)
      expect([answer.status, answer.headers.allow?.split(", ")], path).toEqual([405, methods])
      expect((yield* ask("OPTIONS", path)).status).toBe(405)
    }
  })

  it("has nothing at any other path: 404", function* ({ ask }) {
    for (const path of ["", "/", "/nowhere", "/keys/a/b", "/keys/%ff/revoke", "/account/x", "/Account"]) {
      expect((yield* ask("POST", path, "{}")).status, path).toBe(404)
    }
  })

  it.each(endpoints.filter(({ hasBody }) => hasBody))(
    "$method $path refuses a body that is not a JSON object of known fields",
    function* ({ ask }, { method, path }) {
      for (const body of ["{", "7", "null", '{"odd":1}', "[".repeat(100_000)]) {
        expect((yield* ask(method, path, body)).status, body.slice(0, 20)).toBe(400)
      }
      expect((yield* ask(method, path, `"${"x".repeat(2_000_000)}"`)).status).toBe(413)
      // Pages of other sites can send forms.
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""]) {
        expect((yield* ask(method, path, "{}", { "Content-Type": type })).status, type).toBe(415)
      }
    }
  )
})

serviceTests("the account", cannedService({ credits: 500 }), (it) => {
  it("takes each change, and keeps what is not in it", function* ({ ask }) {
    let account = { state: "active", credits: 500 }
    for (const changes of [
      {},
      { state: "inactive" },
      { state: "suspended" },
      { credits: 0 },
      { credits: Number.MAX_SAFE_INTEGER },
      { state: "closed", credits: 7 },
      { state: "active", credits: 1 }
    ]) {
      account = { ...account, ...changes }
      expect((yield* ask("PATCH", "/account", changes)).json()).toEqual(account)
      expect((yield* ask("GET", "/account")).json()).toEqual(account)
    }
  })
})

serviceTests("the journal", cannedService(), (it) => {
  it("records each request and its outcome, without key and recording", function* (box) {
    const { ask, key, service, synthesize, transcribe } = box
    yield* synthesize({ text: "hi", speed: 2 }, { "X-Request-Id": "mine" })
    yield* transcribe(validForm())
    yield* synthesize({ text: "" })
    yield* synthesize({ text: "hi" }, { "X-API-Key": "local_a.secret" })
    const answer = yield* ask("GET", "/requests")
    const active = (yield* service.accounts.keys).active?.id
    expect(answer.json()).toEqual([
      {
        number: 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        operation: "synthesize",
        keyId: active,
        id: "mine",
        request: expect.objectContaining({ text: "hi", speed: 2 }),
        status: 200,
        outcome: "answered",
        millis: expect.any(Number),
        credits: 2,
        audioMillis: 20,
        sentBytes: 1920,
        totalBytes: 1920
      },
      expect.objectContaining({
        number: 2,
        operation: "transcribe",
        request: { model: "hi-general-v2-8khz", transaction_id: expect.any(String) },
        status: 200
      }),
      expect.objectContaining({ number: 3, status: 400, request: null, keyId: active }),
      expect.objectContaining({ number: 4, status: 401, request: null, keyId: null })
    ])
    expect(answer.text).not.toContain(key)
    expect(answer.text).not.toContain("secret")
    expect(answer.text).not.toContain("RIFF")
  })

  it("names the long text that a synthesis is a piece of, by the form of its id", function* ({ ask, synthesize }) {
    const parents = { "book.001": "book", "a.b.1000": "a.b", "v1.2": undefined, ".001": undefined, "b.000": undefined }
    for (const id of [...Object.keys(parents), "b.0100"]) yield* synthesize({ text: "a" }, { "X-Request-Id": id })
    const entries: ReadonlyArray<JournalEntry> = (yield* ask("GET", "/requests")).json()
    expect(entries.map(({ parent }) => parent)).toEqual([...Object.values(parents), undefined])
  })

  it("keeps the whole of a text, and cuts any other long value after a thousand characters", function* (box) {
    const { ask, synthesize, transcribe } = box
    const text = "नमस्ते\n".repeat(1000)
    yield* synthesize({ text, g2p_overrides: { ["b".repeat(100_000)]: "c" } })
    yield* transcribe(form(...["model", "transaction_id", "other"].map((name) => field(name, "x".repeat(60_000)))))
    const [first, second] = (yield* ask("GET", "/requests")).json()
    expect(first.request.text).toBe(text)
    expect(JSON.stringify({ ...first.request, text: "" }).length).toBeLessThan(4000)
    expect(JSON.stringify(second).length).toBeLessThan(5000)
    expect([first.shortened, second.shortened]).toEqual([true, true])
  })

  it("says whether the fields of a request are whole, and has those that the service does not know", function* (box) {
    const { ask, synthesize, transcribe } = box
    const hotwords = (count: number) => field("hotwords", JSON.stringify(Array(count).fill({ phrase: "UPI" })))
    const overrides = (count: number) => ({ text: "hi", g2p_overrides: { ["b".repeat(count)]: "c" } })
    yield* transcribe(validForm(hotwords(50)))
    yield* transcribe(validForm(hotwords(51), field("language", "hi")))
    yield* transcribe(validForm(hotwords(60)))
    yield* transcribe(validForm(field("n".repeat(101), "")))
    yield* transcribe(validForm(...Array.from({ length: 15 }, (_, index) => field(`field${index}`, ""))))
    yield* synthesize(overrides(992))
    yield* synthesize({ ...overrides(993), pitch: 2 })
    yield* ask("PUT", "/faults", [{ status: 502 }])
    yield* synthesize({ ...overrides(10), pitch: 2 }, {}, { failing: true })
    const entries: ReadonlyArray<JournalEntry> = (yield* ask("GET", "/requests")).json()
    expect(entries.map(({ shortened }) => shortened)).toEqual([
      undefined,
      undefined,
      true,
      true,
      true,
      undefined,
      true,
      undefined
    ])
    expect(entries[1]?.request).toMatchObject({ language: "hi" })
    expect(entries[6]?.request).toMatchObject({ text: "hi", lang: "hi", pitch: 2 })
    expect(entries[7]?.request).toEqual({
      ...overrides(10),
      lang: "hi",
      voice: "default_female",
      output_format: "24000:float32",
      speed: 1,
      pitch: 2
    })
  })

  it("keeps of forty refused requests with 16 large fields no more than it shows", function* ({ ask, transcribe }) {
    const heapUsed = () => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const body = form(...Array.from({ length: 16 }, (_, index) => field(`field${index}`, "x".repeat(65_000))))
    const send = transcribe(body)
    yield* send
    const before = heapUsed()
    for (let times = 0; times < 40; times++) expect((yield* send).status).toBe(400)
    // The fields have 42 MB.
    expect(heapUsed() - before).toBeLessThan(10_000_000)
    const entries = (yield* ask("GET", "/requests")).json()
    expect(Object.keys(entries[40].request).length).toBe(7)
    expect(JSON.stringify(entries).length).toBeLessThan(41 * 8500)
  })

  it("keeps the fields of a request that a fault answers", function* ({ ask, synthesize, transcribe }) {
    yield* ask("PUT", "/faults", [{ status: 502, times: 2 }, { reset: "answer" }])
    yield* synthesize({ text: "hi", speed: 2 }, {}, { failing: true })
    yield* transcribe(validForm(field("hotwords", '[{"phrase":"a"}]')), {}, { failing: true, undescribed: true })
    const lost = Effect.catchAllDefect(synthesize({ text: "" }), () => Effect.void)
    yield* lost
    const entries = (yield* ask("GET", "/requests")).json()
    expect(entries).toMatchObject([
      { outcome: "faulted", request: { text: "hi", speed: 2, lang: "hi" } },
      { outcome: "faulted", request: { model: "hi-general-v2-8khz", hotwords: [{ phrase: "a" }] } },
      { outcome: "faulted", request: { text: "" } }
    ])
  })

  it("is readable after deeply nested lists, and has no fields for a body that can't be read", function* (box) {
    const { ask, synthesize, transcribe } = box
    yield* transcribe(validForm(field("hotwords", "[".repeat(30_000) + "]".repeat(30_000))))
    expect((yield* ask("GET", "/requests")).json()[0].request.model).toBe("hi-general-v2-8khz")
    yield* ask("POST", "/reset")
    yield* ask("PUT", "/faults", [{ status: 401 }])
    for (const body of ["{", "[]", `"${"x".repeat(2_000_000)}"`]) yield* synthesize(body)
    yield* transcribe("no form")
    yield* transcribe("no form", { "Content-Type": "text/plain" })
    const entries: ReadonlyArray<{ readonly request: unknown }> = (yield* ask("GET", "/requests")).json()
    expect(entries.map(({ request }) => JSON.stringify(request))).toEqual(["null", "null", "null", "{}", "null"])
  })

  it("keeps at most 16 MB of fields, those of the latest requests", function* ({ ask, synthesize }) {
    yield* ask("PUT", "/faults", [{ status: 400 }])
    const text = "\u0001".repeat(20_000)
    yield* Effect.forEach(Array.from({ length: 80 }), () => synthesize({ text }))
    const entries: ReadonlyArray<{ readonly request: unknown }> = (yield* ask("GET", "/requests")).json()
    const kept = entries.map(({ request }) => request !== null)
    expect(kept.lastIndexOf(false)).toBe(kept.indexOf(true) - 1)
    expect(kept.filter(Boolean).length).toBe(66)
  })

  it("holds the latest thousand requests, numbered from the first", function* ({ ask, raw }) {
    const one = message("POST /tts/bytes HTTP/1.1", { Host: "127.0.0.1", "Content-Length": 0 })
    yield* raw("tts", Buffer.concat(Array.from({ length: 1010 }, () => one)), { answers: 1010 })
    const entries = (yield* ask("GET", "/requests")).json()
    expect(entries.length).toBe(1000)
    expect([entries[0].number, entries[999].number]).toEqual([11, 1010])
  })

  it("records no requests with another path or method", function* ({ ask, send }) {
    yield* send("tts", { path: "/nowhere" })
    yield* send("stt", { method: "GET", path: "/api/transcribe" })
    expect((yield* ask("GET", "/requests")).json()).toEqual([])
  })
})

serviceTests("a reset", cannedService({ credits: 100 }), (it) => {
  it("restores account, keys, usage, faults and journal", function* ({ ask, key, synthesize }) {
    yield* synthesize({ text: "abc" })
    const created = (yield* ask("POST", "/keys", { name: "next", confirm: true })).json()
    yield* ask("PATCH", `/keys/${created.id}`, { scopes: [] })
    yield* ask("PATCH", "/account", { state: "closed", credits: 3 })
    yield* ask("PUT", "/faults", [{ status: 500 }])
    expect((yield* ask("POST", "/reset")).status).toBe(204)
    expect((yield* ask("GET", "/account")).json()).toEqual({ state: "active", credits: 100 })
    expect((yield* ask("GET", "/keys")).json()).toMatchObject({ active: { name: "local" }, archived: [] })
    for (const path of ["/usage", "/faults", "/requests"]) expect((yield* ask("GET", path)).json()).toEqual([])
    expect((yield* synthesize({ text: "abc" }, { "X-API-Key": created.key })).status).toBe(401)
    expect((yield* synthesize({ text: "abc" }, { "X-API-Key": key })).status).toBe(200)
  })

  it("with the same seed gives the same ids in the same order, which the journal has too", function* ({
    ask,
    synthesize,
    transcribe
  }) {
    const ids = (seed: number) =>
      Effect.gen(function* () {
        yield* ask("POST", "/reset", { seed })
        const first = (yield* synthesize({ text: "a" })).headers["x-request-id"]
        const second = (yield* transcribe(validForm())).json().call_id
        const third = (yield* synthesize({})).headers["x-request-id"]
        const entries: ReadonlyArray<JournalEntry> = (yield* ask("GET", "/requests")).json()
        expect(entries.map(({ id }) => id)).toEqual([first, second, third])
        return [first, second, third]
      })
    const once = yield* ids(1)
    expect(new Set(once).size).toBe(3)
    expect(yield* ids(1)).toEqual(once)
    expect(yield* ids(2)).not.toEqual(once)
    yield* ask("POST", "/reset")
    expect(once).not.toContain((yield* synthesize({ text: "a" })).headers["x-request-id"])
  })

  it("with a fixed time uses it in all timestamps", function* ({ ask, transcribe }) {
    const fixedTime = "2026-01-31T23:59:59.500Z"
    const withAux = validForm(field("aux", "true"))
    yield* ask("POST", "/reset", { fixedTime })
    const { aux_info } = (yield* transcribe(withAux)).json()
    expect(aux_info).toMatchObject({ received_request_time: fixedTime, request_time: 0 })
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ date: "2026-01-31" }])
    expect((yield* ask("GET", "/requests")).json()).toMatchObject([{ at: fixedTime }])
    expect((yield* ask("POST", "/keys", { name: "a", confirm: true })).json().createdAt).toBe(fixedTime)
    yield* ask("POST", "/reset")
    expect((yield* transcribe(withAux)).json().aux_info.received_request_time).not.toContain(fixedTime)
  })
})

const invalid: Readonly<Record<string, ReadonlyArray<readonly [body: string, message: string]>>> = {
  "PATCH /account": [
    ...["-1", "1.5", '"7"', "null", "1e999", "9007199254740992"].map(
      (value) => [`{"credits":${value}}`, "credits"] as const
    ),
    ['{"state":"odd"}', 'state must be one of "active", "inactive", "suspended", "closed"'],
    ['{"state":"ACTIVE"}', "state"],
    ['{"credit":7}', "credit"],
    ["[]", "malformed"]
  ],
  "POST /keys": [
    ["{}", "name"],
    ...['""', "7", "null", `"${"x".repeat(101)}"`, '"a\\u0000b"', '"a\\nb"', '"\\ud83d"'].map(
      (name) => [`{"name":${name}}`, "name"] as const
    ),
    ['{"name":"a","confirm":"true"}', "confirm"],
    ['{"name":"a","confirm":1}', "confirm"],
    ['{"name":"a","creator":"me"}', "creator"]
  ],
  "PATCH /keys/(active)": [
    ["{}", "scopes"],
    ...['"tts:synth"', '["tts:everything"]', "[null]"].map((scopes) => [`{"scopes":${scopes}}`, "scopes"] as const),
    ['{"scopes":[],"name":"x"}', "name"]
  ],
  "POST /reset": [
    ['{"seed":1.5}', "seed"],
    ['{"seed":"1"}', "seed"],
    ...['"never"', '""', "7"].map((time) => [`{"fixedTime":${time}}`, "fixedTime"] as const),
    ['{"sead":1}', "sead"]
  ]
}

serviceTests("an invalid body", cannedService(), (it) => {
  it.each(Object.entries(invalid))(
    "of %s is 400, names the field and changes nothing",
    function* ({ ask }, [endpoint, rows]) {
      const state = Effect.map(Effect.all([ask("GET", "/account"), ask("GET", "/keys")]), (all) =>
        all.map(({ text }) => text)
      )
      yield* ask("PATCH", "/account", { credits: 7 })
      const before = yield* state
      const [method = "", path = ""] = endpoint.split(" ")
      const { active } = (yield* ask("GET", "/keys")).json()
      for (const [body, message] of rows) {
        const answer = yield* ask(method, path.replace("(active)", active.id), body)
        expect([answer.status, answer.json().error], body).toEqual([400, expect.stringContaining(message)])
      }
      expect(yield* state).toEqual(before)
    }
  )
})
