import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { environmentOf, run, serviceOfTones, temporaryFolder } from "./environment.js"

/** A service of another kind: it sends this document. */
const serverOf = (document: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ readonly address: string; readonly close: () => void }>((resolve) => {
          const server = createServer((request, response) => {
            response.writeHead(request.url === "/openapi.json" ? 200 : 404).end(document)
          })
          server.listen(0, "127.0.0.1", () =>
            resolve({
              address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
              close: () => server.close()
            })
          )
        })
    ),
    ({ close }) => Effect.sync(close)
  )

const documentOf = (names: ReadonlyArray<string>, languages: Readonly<Record<string, string>> = {}) => {
  const schema = { properties: { model: { enum: names, "x-languages": languages } } }
  const post = { requestBody: { content: { "multipart/form-data": { schema } } } }
  return JSON.stringify({ paths: { "/api/transcribe": { post } } })
}

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer))("the lists of a service", (it) => {
  it.scoped("are its models with their languages, and its voices by language, without a key", () =>
    Effect.gen(function* () {
      const { SPEECH_API_KEY: _, ...environment } = environmentOf(yield* LocalService)
      const models = yield* run(["models"], environment)
      expect(models).toMatchObject({ code: 0, stderr: "" })
      expect(models.stdout.split("\n").map((row) => row.split(/ {2,}/))).toEqual([
        ["model", "language"],
        ["en-general-v2-8khz", "English (en)"],
        ["en-banking-v2-8khz", "English (en)"],
        ["hi-general-v2-8khz", "Hindi (hi)"],
        ["hi-banking-v2-8khz", "Hindi (hi)"]
      ])
      const { models: listed } = JSON.parse((yield* run(["models", "--json"], environment)).stdout)
      expect(listed[2]).toEqual({ operation: "transcribe", name: "hi-general-v2-8khz", languages: ["hi"] })

      expect((yield* run(["voices"], environment)).stdout.split("\n")).toEqual([
        "language      voices",
        "English (en)  default_female",
        "Hindi (hi)    default_female"
      ])
      expect(JSON.parse((yield* run(["voices", "--lang", "en", "--json"], environment)).stdout)).toEqual({
        languages: [{ lang: "en", voices: ["default_female"] }]
      })
      expect(yield* run(["voices", "--lang", "xx"], environment)).toMatchObject({
        code: 2,
        stderr: "speech: The service does not speak xx. Its languages are en, hi. [UsageError]"
      })
    })
  )

  it.scoped("are kept for the completions of a shell, by the address of the service", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { address } = yield* serverOf(documentOf(["hi-one", "$(touch run)", "`id`", "a b", "-x", "हिंदी"]))
      const environment = { ...environmentOf(yield* LocalService), XDG_CACHE_HOME: folder }
      const read = (name: string) => readFileSync(`${folder}/effect-speech/${name}`, "utf8")
      yield* run(["models"], environment)
      yield* run(["voices"], environment)
      const inName = environment.SPEECH_STT_BASE_URL.replace(/[^A-Za-z0-9]/g, "-")
      expect(read(`models@${inName}`)).toContain("hi-general-v2-8khz\n")
      expect(read("voices@")).toBe("default_female\n")
      expect(read("languages@")).toBe("en\nhi\n")
      const other = yield* run(["models"], { ...environment, SPEECH_STT_BASE_URL: address })
      expect(other).toMatchObject({ code: 0, stdout: expect.stringContaining("\n$(touch run)\n") })
      // What a shell would run is no completion.
      expect(read("models@")).toBe("hi-one\nहिंदी\n")
      expect(read(`models@${inName}`)).toContain("hi-general-v2-8khz\n")
      expect(readdirSync(`${folder}/effect-speech`).filter((name) => name.includes(".part"))).toEqual([])
      expect(existsSync("run")).toBe(false)
    })
  )

  it.scoped("have any names", () =>
    Effect.gen(function* () {
      const named = yield* serverOf(documentOf(["constructor", "__proto__", "toString"], { toString: "hi" }))
      expect((yield* run(["models"], { SPEECH_STT_BASE_URL: named.address })).stdout.split("\n")).toEqual([
        "model        language",
        "constructor",
        "__proto__",
        "toString     Hindi (hi)"
      ])
    })
  )

  it.scoped("are missing with a sentence and a code that say why", () =>
    Effect.gen(function* () {
      const { SPEECH_STT_BASE_URL } = environmentOf(yield* LocalService)
      const [page, empty] = [yield* serverOf("<html>"), yield* serverOf(documentOf([]).replace('"model"', '"other"'))]
      for (const [address, code, says] of [
        [
          `${SPEECH_STT_BASE_URL}/v1`,
          21,
          /publishes no list of its models: GET \/openapi\.json responded with 404\. Ask/
        ],
        [page.address, 32, /GET \/openapi\.json has none\./],
        [empty.address, 32, /GET \/openapi\.json has none\./],
        ["http://127.0.0.1:1", 30, /^speech: The connection to http:\/\/127\.0\.0\.1:1 failed \(ECONNREFUSED\)\./],
        ["nowhere", 2, /SPEECH_STT_BASE_URL/]
      ] as const) {
        const outcome = yield* run(["models"], { SPEECH_STT_BASE_URL: address })
        expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringMatching(says) })
      }
      expect(yield* run(["models"], {})).toMatchObject({ code: 2, stderr: expect.stringContaining("speech serve") })
      const check = yield* run(["models", "--check"], {})
      expect(check).toMatchObject({ code: 2, stderr: expect.stringContaining("--check is for a FOLDER") })
    })
  )
})
