import { spawn } from "node:child_process"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import { Wav } from "@effect-speech/audio-codec"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { localClients } from "./support/localClients.js"

const root = new URL("..", import.meta.url).pathname

/** Runs a file of the sources as a process, in a folder, as the scripts of package.json do. */
const runFile = (file: string, folder: string, environment: Record<string, string> = {}) =>
  Effect.async<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resume) => {
    const child = spawn(
      process.execPath,
      [
        "--conditions=@effect-speech/source",
        "--import",
        `${root}node_modules/tsx/dist/esm/index.mjs`,
        `${root}${file}`
      ],
      { cwd: folder, env: { PATH: process.env.PATH, ...environment }, stdio: ["ignore", "pipe", "pipe"] }
    )
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
    child.on("close", (code) => resume(Effect.succeed({ code, ...output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

layer(NodeFileSystem.layer)("an example without a service", (it) => {
  it.scoped(
    "telephony makes one channel at 8 kHz of a recording, and says what is wrong with a file that is none",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const stereo = { sampleRate: 44_100, channels: 2, encoding: "pcm24" } as const
        yield* fs.writeFile(`${folder}/recording.wav`, Wav.encode(stereo, new Uint8Array(44_100 * 6)))
        const outcome = yield* runFile("examples/telephony.ts", folder)
        const stdout = "telephony.wav: 8000 Hz, 1 channel, pcm16, 1 s\n0 samples were clipped\n"
        expect(outcome).toEqual({ code: 0, stdout, stderr: "" })
        expect((yield* fs.stat(`${folder}/telephony.wav`)).size).toBe(FileSystem.Size(44 + 16_000))

        yield* fs.writeFileString(`${folder}/recording.wav`, "ID3 is no WAV file")
        const failed = yield* runFile("examples/telephony.ts", folder)
        expect(failed.code).toBe(1)
        expect(failed.stderr).toContain("This is not a WAV file")
      })
  )
})

layer(localClients())("an example", (it) => {
  it.scoped("quickstart speaks, writes a WAV file and prints what it heard", () =>
    Effect.gen(function* () {
      const service = yield* LocalService
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const outcome = yield* runFile("examples/quickstart.ts", folder, {
        SPEECH_API_KEY: Redacted.value(service.apiKey),
        SPEECH_STT_BASE_URL: service.sttBaseUrl,
        SPEECH_TTS_BASE_URL: service.ttsBaseUrl
      })
      expect(outcome).toEqual({ code: 0, stdout: "नमस्ते\n", stderr: "" })
      expect(yield* fs.readDirectory(folder)).toEqual(["namaste.wav"])
    })
  )

  it.scoped("demo brings its sentences back word for word, and handles a failure of each service by its tag", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const { code, stderr, stdout } = yield* runFile("examples/demo.ts", folder)
      expect(stderr).toBe("")
      expect(code).toBe(0)
      const said = [...stdout.matchAll(/To say \(\w+\): (.+)/g)].map(([, text]) => text)
      const heard = [...stdout.matchAll(/heard +(.+)/g)].map(([, text]) => text)
      expect(said.length).toBe(2)
      expect(heard).toEqual(said)
      expect(stdout).toContain("SttCreditExhausted: The account is out of credit (402)")
      expect(stdout).toContain("TtsUnauthorized: The service did not accept the API key (401)")

      for (const name of ["1-hi.wav", "2-en.wav"]) {
        const file = yield* fs.readFile(`${folder}/demo-audio/${name}`)
        expect(Buffer.from(file).readUInt32LE(4)).toBe(file.byteLength - 8)
        const { bytes, format } = Either.getOrThrow(Wav.decode(file))
        expect(format).toEqual({ sampleRate: 24000, channels: 1, encoding: "float32" })
        expect(bytes.byteLength).toBe(file.byteLength - 58)
      }
    })
  )
})
