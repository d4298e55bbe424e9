import { expect } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Effect from "effect/Effect"
import { message, validForm } from "./support/messages.js"
import { cannedService, serviceTests } from "./support/service.js"

const paths = [
  { method: "GET", path: "/account" },
  { method: "PATCH", path: "/account" },
  { method: "GET", path: "/keys" },
  { method: "POST", path: "/keys" },
  { method: "POST", path: "/keys/some/revoke" },
  { method: "PATCH", path: "/keys/some" },
  { method: "GET", path: "/usage" },
  { method: "GET", path: "/faults" },
  { method: "PUT", path: "/faults" },
  { method: "GET", path: "/requests" },
  { method: "POST", path: "/reset" }
]

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

  it("has the rules of the contract in its document", function* ({ send }) {
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
  })

  it("has in its document what can be asked of a fault, and that something must be", function* ({ send }) {
    const { paths } = (yield* send("platform", { method: "GET", path: "/openapi.json" })).json()
    const { items } = paths["/platform/api/faults"].put.requestBody.content["application/json"].schema
    const which = ["nth", "operation", "probability", "seed", "times"]
    const what = [
      "body",
      "delayMillis",
      "headers",
      "malformedHeader",
      "reset",
      "stallAtByte",
      "status",
      "truncateAtByte"
    ]
    expect(Object.keys(items.properties).toSorted()).toEqual([...which, ...what, "message"].toSorted())
    expect(items.additionalProperties).toBe(false)
    const oneOf = items.allOf[0].anyOf.map(({ required }: { readonly required: ReadonlyArray<string> }) => required[0])
    expect(oneOf.toSorted()).toEqual(what)
  })

  it.each(["/", "/openapi.json"])("shows %s to anybody", function* ({ key, send, token }, path) {
    for (const method of ["GET", "HEAD"]) {
      const answer = yield* send("platform", { method, path })
      expect(answer.status).toBe(200)
      expect(answer.text).not.toContain(key)
      expect(answer.text).not.toContain(token)
    }
  })

  it.each(
    paths.flatMap((each) =>
      (["missing", "empty", "wrong", "longer", "the API key"] as const).map((token) => ({ ...each, token }))
    )
  )("$method $path with a token that is $token is 401", function* (box, { method, path, token }) {
    const tokens = { empty: "", wrong: "x".repeat(32), longer: `${box.token}x`, "the API key": box.key }
    const headers = {
      "Content-Type": "application/json",
      ...(token === "missing" ? {} : { "X-Admin-Token": tokens[token] })
    }
    const body = method === "GET" ? undefined : "[]"
    const answer = yield* box.send("platform", { method, path: `/platform/api${path}`, headers, body })
    expect(answer.status).toBe(401)
  })

  it.each([
    "/platform/api/account;/../../..",
    "/platform/api/account;/../../../",
    "/platform/api/account;/../../../openapi.json",
    "/platform/api/account#/",
    "/platform/api/account?/../../..",
    "/openapi.json/../platform/api/account",
    "/openapi.json;/platform/api/account",
    "//platform/api/account",
    "/./platform/api/account",
    "/platform/api/keys;\\..\\..\\.."
  ])("does not show the account at %s without the token", function* ({ raw }, target) {
    for (const method of ["GET", "PATCH"]) {
      const headers = { Host: "127.0.0.1", "Content-Type": "application/json", "Content-Length": 2 }
      const request = message(`${method} ${target} HTTP/1.1`, headers, "{}")
      const { answer } = yield* raw("platform", request, { undescribed: true })
      expect(answer.text).not.toContain('"credits":1000000')
      expect(answer.text).not.toContain('"archived":[')
    }
  })

  it("takes no token from the query or from another header", function* ({ send, token }) {
    const path = `/platform/api/account?X-Admin-Token=${token}`
    const headers = { Authorization: `Bearer ${token}`, Cookie: `X-Admin-Token=${token}` }
    expect((yield* send("platform", { method: "GET", path, headers })).status).toBe(401)
  })

  it.each(
    paths.flatMap(({ path }) => [
      { path, method: "DELETE" },
      { path, method: "OPTIONS" }
    ])
  )("$method $path is 405, and says what is taken", function* ({ ask }, { method, path }) {
    const answer = yield* ask(method, path)
    expect(answer.status).toBe(405)
    const taken = paths.filter((each) => each.path === path).map((each) => each.method)
    expect(answer.headers.allow?.split(", ")).toEqual(taken)
  })

  it.each(["", "/", "/nowhere", "/keys/a/b", "/keys/%ff/revoke", "/account/x", "/Account"])(
    "/platform/api%s is 404",
    function* ({ ask }, path) {
      expect((yield* ask("POST", path, "{}")).status).toBe(404)
    }
  )

  it.each(
    paths
      .filter(({ method }) => method !== "GET")
      .filter(({ path }) => !path.endsWith("/revoke"))
      .flatMap((each) => [
        { ...each, what: "no JSON", body: "{", status: 400 },
        { ...each, what: "a number", body: "7", status: 400 },
        { ...each, what: "null", body: "null", status: 400 },
        { ...each, what: "a field that is unknown", body: '{"odd":1}', status: 400 },
        { ...each, what: "lists that are nested 100,000 deep", body: "[".repeat(100_000), status: 400 },
        { ...each, what: "two megabytes", body: `"${"x".repeat(2_000_000)}"`, status: 413 }
      ])
  )("$method $path with $what is $status", function* ({ ask }, { body, method, path, status }) {
    expect((yield* ask(method, path, body)).status).toBe(status)
  })

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "takes no body that is %s, as a form of another site could send it",
    function* ({ ask }, type) {
      expect((yield* ask("PATCH", "/account", "{}", { "Content-Type": type })).status).toBe(415)
      expect((yield* ask("PUT", "/faults", "[]", { "Content-Type": type })).status).toBe(415)
    }
  )
})

serviceTests("the account", cannedService({ credits: 500 }), (it) => {
  it.each([
    { changes: {}, account: { state: "active", credits: 500 } },
    { changes: { credits: 0 }, account: { state: "active", credits: 0 } },
    { changes: { credits: Number.MAX_SAFE_INTEGER }, account: { state: "active", credits: Number.MAX_SAFE_INTEGER } },
    { changes: { state: "inactive" }, account: { state: "inactive", credits: 500 } },
    { changes: { state: "suspended" }, account: { state: "suspended", credits: 500 } },
    { changes: { state: "closed", credits: 7 }, account: { state: "closed", credits: 7 } },
    { changes: { state: "active", credits: 1 }, account: { state: "active", credits: 1 } }
  ])("after $changes is as it says", function* ({ ask }, { account, changes }) {
    yield* ask("PATCH", "/account", { state: "active", credits: 500 })
    expect((yield* ask("PATCH", "/account", changes)).json()).toEqual(account)
    expect((yield* ask("GET", "/account")).json()).toEqual(account)
  })

  it.each([
    { changes: '{"credits":-1}', names: "credits" },
    { changes: '{"credits":1.5}', names: "credits" },
    { changes: '{"credits":"7"}', names: "credits" },
    { changes: '{"credits":null}', names: "credits" },
    { changes: '{"credits":1e999}', names: "credits" },
    { changes: '{"credits":9007199254740992}', names: "credits" },
    { changes: '{"state":"odd"}', names: 'state must be one of "active", "inactive", "suspended", "closed"' },
    { changes: '{"state":"ACTIVE"}', names: "state" },
    { changes: '{"credit":7}', names: "credit" },
    { changes: "[]", names: "malformed" }
  ])("is not changed by $changes, which is 400 and names $names", function* ({ ask }, { changes, names }) {
    const before = (yield* ask("GET", "/account")).json()
    const answer = yield* ask("PATCH", "/account", changes)
    expect(answer.status).toBe(400)
    expect(answer.json().error).toContain(names)
    expect((yield* ask("GET", "/account")).json()).toEqual(before)
  })
})

serviceTests("the journal", cannedService(), (it) => {
  it("holds what was asked and how it ended, and neither the key nor the recording", function* ({
    ask,
    key,
    service,
    synthesize,
    transcribe
  }) {
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
        millis: expect.any(Number)
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

  it("tells a synthesis by the id of its answer, whatever became of it", function* ({ ask, synthesize }) {
    yield* ask("POST", "/reset", { seed: 1 })
    const answers = yield* Effect.all([
      synthesize({ text: "a" }),
      synthesize({}),
      synthesize({ text: "a" }, { "X-API-Key": "a.b" }),
      synthesize({}, { "X-Request-Id": "mine" })
    ])
    const entries: ReadonlyArray<{ readonly id: string }> = (yield* ask("GET", "/requests")).json()
    expect(entries.map(({ id }) => id)).toEqual(answers.map(({ headers }) => headers["x-request-id"]))
  })

  it("keeps no more than a thousand characters of what somebody wrote", function* ({ ask, synthesize, transcribe }) {
    yield* ask("POST", "/reset")
    yield* synthesize({ text: "a".repeat(9000), g2p_overrides: { ["b".repeat(100_000)]: "c" } })
    const parts = ["model", "transaction_id", "other"].map(
      (name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${"x".repeat(60_000)}\r\n`
    )
    yield* transcribe(`${parts.join("")}--b--\r\n`)
    const [first, second] = (yield* ask("GET", "/requests")).json()
    expect(JSON.stringify(first).length).toBeLessThan(4000)
    expect(JSON.stringify(second).length).toBeLessThan(5000)
  })

  it("can be read after lists that are nested deep", function* ({ ask, transcribe }) {
    yield* ask("POST", "/reset")
    const deep = "[".repeat(30_000) + "]".repeat(30_000)
    const part = `--b\r\nContent-Disposition: form-data; name="hotwords"\r\n\r\n${deep}\r\n`
    expect((yield* transcribe(validForm(Buffer.from(part)))).status).toBe(400)
    const answer = yield* ask("GET", "/requests")
    expect(answer.status).toBe(200)
    expect(answer.json()[0].request.model).toBe("hi-general-v2-8khz")
  })

  it("holds the latest thousand, numbered from the start", function* ({ ask, raw }) {
    yield* ask("POST", "/reset")
    const one = message("POST /tts/bytes HTTP/1.1", { Host: "127.0.0.1", "Content-Length": 0 })
    yield* raw("tts", Buffer.concat(Array.from({ length: 1010 }, () => one)), { answers: 1010 })
    const entries = (yield* ask("GET", "/requests")).json()
    expect(entries.length).toBe(1000)
    expect([entries[0].number, entries[999].number]).toEqual([11, 1010])
  })

  it("holds nothing of what was not for an operation", function* ({ ask, send }) {
    yield* ask("POST", "/reset")
    yield* send("tts", { path: "/nowhere" })
    yield* send("stt", { method: "GET", path: "/api/transcribe" })
    expect((yield* ask("GET", "/requests")).json()).toEqual([])
  })
})

serviceTests("a reset", cannedService({ credits: 100 }), (it) => {
  it("is as at the start: account, keys, usage, faults and journal", function* ({ ask, key, synthesize }) {
    yield* synthesize({ text: "abc" })
    const created = (yield* ask("POST", "/keys", { name: "next", confirm: true })).json()
    yield* ask("PATCH", `/keys/${created.id}`, { scopes: [] })
    yield* ask("PATCH", "/account", { state: "closed", credits: 3 })
    yield* ask("PUT", "/faults", [{ status: 500 }])
    const answer = yield* ask("POST", "/reset")
    expect(answer.status).toBe(204)
    expect((yield* ask("GET", "/account")).json()).toEqual({ state: "active", credits: 100 })
    expect((yield* ask("GET", "/keys")).json()).toMatchObject({ active: { name: "local" }, archived: [] })
    expect((yield* ask("GET", "/usage")).json()).toEqual([])
    expect((yield* ask("GET", "/faults")).json()).toEqual([])
    expect((yield* ask("GET", "/requests")).json()).toEqual([])
    expect((yield* synthesize({ text: "abc" }, { "X-API-Key": created.key })).status).toBe(401)
    expect((yield* synthesize({ text: "abc" }, { "X-API-Key": key })).status).toBe(200)
  })

  it("with a seed gives the same ids in the same order, and others with another", function* ({
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
        return [first, second, third]
      })
    const once = yield* ids(1)
    expect(new Set(once).size).toBe(3)
    expect(yield* ids(1)).toEqual(once)
    expect(yield* ids(2)).not.toEqual(once)
    yield* ask("POST", "/reset")
    const { headers } = yield* synthesize({ text: "a" })
    expect(once).not.toContain(headers["x-request-id"])
  })

  it("with a fixed time tells that one", function* ({ ask, transcribe }) {
    yield* ask("POST", "/reset", { fixedTime: "2026-01-31T23:59:59.500Z" })
    const form = validForm(Buffer.from('--b\r\nContent-Disposition: form-data; name="aux"\r\n\r\ntrue\r\n'))
    const { aux_info } = (yield* transcribe(form)).json()
    expect(aux_info).toMatchObject({ received_request_time: "2026-01-31T23:59:59.500Z", request_time: 0 })
    expect((yield* ask("GET", "/usage")).json()).toMatchObject([{ date: "2026-01-31" }])
    expect((yield* ask("GET", "/requests")).json()).toMatchObject([{ at: "2026-01-31T23:59:59.500Z" }])
    expect((yield* ask("POST", "/keys", { name: "a", confirm: true })).json().createdAt).toBe(
      "2026-01-31T23:59:59.500Z"
    )
    yield* ask("POST", "/reset")
    expect((yield* transcribe(form)).json().aux_info.received_request_time).not.toContain("2026-01-31T23:59:59.500Z")
  })

  it.each([
    { body: '{"seed":1.5}', names: "seed" },
    { body: '{"seed":"1"}', names: "seed" },
    { body: '{"fixedTime":"never"}', names: "fixedTime" },
    { body: '{"fixedTime":""}', names: "fixedTime" },
    { body: '{"fixedTime":7}', names: "fixedTime" },
    { body: '{"sead":1}', names: "sead" }
  ])("with $body is 400, names $names and resets nothing", function* ({ ask, synthesize }, { body, names }) {
    yield* ask("POST", "/reset")
    yield* ask("PATCH", "/account", { credits: 7 })
    const answer = yield* ask("POST", "/reset", body)
    expect(answer.status).toBe(400)
    expect(answer.json().error).toContain(names)
    expect((yield* ask("GET", "/account")).json().credits).toBe(7)
    expect((yield* synthesize({ text: "a" })).status).toBe(200)
  })
})
