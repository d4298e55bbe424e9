import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { relative } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { findPlayer } from "../src/player.js"
import { until } from "./builtCommand.js"
import { environmentOf, requestCount, run, serviceOfTones, temporaryFolder } from "./environment.js"

/** A folder with a player, which runs these lines of a shell. Its file is the last argument. */
const withPlayer = (folder: string, lines: string) => {
  mkdirSync(`${folder}/bin`)
  writeFileSync(`${folder}/bin/ffplay`, `#!/bin/sh\nfor file; do :; done\n${lines}\n`)
  chmodSync(`${folder}/bin/ffplay`, 0o755)
  return Effect.map(LocalService, (service) => ({ ...environmentOf(service), PATH: `${folder}/bin` }))
}

const speak = ["synthesize", "नमस्ते", "--play", "--output-format", "8000:pcm16"]

layer(Layer.merge(serviceOfTones(), NodeFileSystem.layer), { excludeTestServices: true })("synthesize --play", (it) => {
  it.scoped("plays what it writes, or what it writes nowhere, and keeps no other file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const environment = yield* withPlayer(folder, `cp "$file" ${folder}/heard.wav; echo "$file" > ${folder}/name`)
      const written = yield* run([...speak, "-o", `${folder}/a.wav`], environment)
      expect(written).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining(`${folder}/a.wav: `) })
      expect(readFileSync(`${folder}/heard.wav`)).toEqual(readFileSync(`${folder}/a.wav`))
      const before = yield* requestCount
      const played = yield* run([...speak, "--json"], environment)
      expect(played).toMatchObject({ code: 0, stderr: "" })
      expect(JSON.parse(played.stdout)).not.toHaveProperty("path")
      expect(yield* requestCount).toBe(before + 1)
      expect(readFileSync(`${folder}/heard.wav`)).toEqual(readFileSync(`${folder}/a.wav`))
      expect(existsSync(readFileSync(`${folder}/name`, "utf8").trim())).toBe(false)
      expect((yield* run([...speak, "--pause", "line=1"], environment)).code).toBe(0)
      expect(readdirSync(folder).toSorted()).toEqual(["a.wav", "bin", "heard.wav", "name"])
    })
  )

  it.scoped("sends nothing without a player, and keeps the file if the player fails", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const environment = yield* withPlayer(folder, "exit 3")
      const before = yield* requestCount
      mkdirSync(`${folder}/ffplay`)
      writeFileSync(`${folder}/paplay`, "")
      const none = yield* run([...speak, "-o", `${folder}/a.wav`], { ...environment, PATH: folder })
      expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/Nothing was sent: .*Install ffplay/) })
      expect(yield* run([...speak, "-o", "-"], environment)).toMatchObject({ code: 2 })
      expect(yield* requestCount).toBe(before)
      const failed = yield* run([...speak, "-o", `${folder}/a.wav`], environment)
      const says = /The audio is complete, but ffplay could not play it \(exit code 3\)/
      expect(failed).toMatchObject({ code: 3, stderr: expect.stringMatching(says) })
      expect(readdirSync(folder).toSorted()).toEqual(["a.wav", "bin", "ffplay", "paplay"])
      const onWindows = yield* Effect.flip(findPlayer(undefined, "win32"))
      expect(onWindows.message).toMatch(/Install ffplay.*\(or powershell\)/)
    })
  )

  it.scoped("gives the player a whole path, and finds it if the settings are those of a file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { PATH, ...settings } = yield* withPlayer(folder, `echo "$file" > ${folder}/name`)
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
      writeFileSync(`${folder}/settings`, lines.join(""))
      const file = relative(".", `${folder}/call:7.wav`)
      const args = [...speak, "--dotenv", `${folder}/settings`, "-o", file]
      expect((yield* run(args, { PATH })).code).toBe(0)
      expect(readFileSync(`${folder}/name`, "utf8")).toBe(`${folder}/call:7.wav\n`)
    })
  )

  it.scoped("ends the player at an interruption, also one that ignores it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const environment = yield* withPlayer(
        folder,
        `trap "" TERM; echo $$ > ${folder}/pid.new; mv ${folder}/pid.new ${folder}/pid; exec sleep 60`
      )
      const running = yield* Effect.fork(run(speak, environment))
      yield* until(
        Effect.sync(() => existsSync(`${folder}/pid`)),
        (isPlaying) => isPlaying
      )
      yield* Fiber.interrupt(running)
      const pid = Number(readFileSync(`${folder}/pid`, "utf8"))
      expect(() => process.kill(pid, 0)).toThrow("ESRCH")
    })
  )
})
