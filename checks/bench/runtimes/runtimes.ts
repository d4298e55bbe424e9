/** Small calls in Bun and Deno, beside the HttpClient of fetch, which both have. The server stays in Node. */
import { bun, deno, install } from "../../support/runtimes.js"
import { headings, planOf } from "../calls/calls.js"
import { type Setting, startServer } from "../harness.js"
import { compareGroups, type Group, isIn } from "../layers/layers.js"

const runtimes = { Bun: bun, Deno: deno }

const groups: ReadonlyArray<Group> = [{ bare: "bare-fetch", ours: ["ours", "ours-fetch"] }]

export const run = async (setting: Setting) => {
  const server = await startServer()
  for (const [name, runtime] of Object.entries(runtimes)) {
    const { path, version } = await install(runtime)
    const plan = { ...planOf(setting, server.url, isIn(groups)), runtime: [path, ...runtime.run] as const }
    for (const operation of ["synthesis", "transcription"] as const) {
      await compareGroups(operation, plan, groups, `${headings[operation]}, in ${name} ${version}`)
    }
  }
  await server.stop()
}
