/** The recipes of docs/guides/bundling.md for ES modules of esbuild. `pnpm verify packages` runs all recipes, as a user would. */
import { copyFileSync } from "node:fs"
import { basename, delimiter, join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { LocalService } from "@effect-speech/local-service"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { root, run, temporaryFolder } from "effect-speech-test-support/processes"
import { type Recipe, recipes } from "effect-speech-test-support/recipes"

const programs = { "program.ts": "examples/quickstart.ts", "fetch.ts": "test/support/bundled/fetch.ts" }
const quick = recipes.filter(({ command, entry }) => /^esbuild .*--format=esm/.test(command) && entry in programs)

/** Runs a recipe with the sources. Returns the path of the bundle, in a folder without `node_modules`. */
const bundle = async ({ command, entry, output }: Recipe) => {
  const folder = temporaryFolder("bundling-")
  const program = join(root, programs[entry as keyof typeof programs])
  const line = `${command.replace(entry, `'${program}'`)} --conditions=@effect-speech/source --log-level=error`
  const PATH = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter)
  await run("sh", ["-c", line], { cwd: folder, env: { PATH } })
  const alone = temporaryFolder("bundled-")
  copyFileSync(join(folder, output), join(alone, basename(output)))
  return { folder: alone, file: basename(output) }
}

layer(LocalService.layer(), { excludeTestServices: true })("a bundle with both clients and the codec", (it) => {
  it.effect.each(quick.map((recipe) => [recipe.name, recipe] as const))("runs alone by the recipe %s", ([, recipe]) =>
    Effect.gen(function* () {
      const { apiKey, sttBaseUrl, ttsBaseUrl } = yield* LocalService
      const { file, folder } = yield* Effect.promise(() => bundle(recipe))
      const env = {
        SPEECH_API_KEY: Redacted.value(apiKey),
        SPEECH_STT_BASE_URL: sttBaseUrl,
        SPEECH_TTS_BASE_URL: ttsBaseUrl
      }
      const { stdout } = yield* Effect.promise(() => run(process.execPath, [file], { cwd: folder, env }))
      expect(stdout).toBe("नमस्ते\n")
    })
  )
})
