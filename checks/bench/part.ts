/** The parts of the benchmark. `node --import tsx part.ts NAME QUICK` runs one, which prints Markdown. */
import { fileURLToPath } from "node:url"
import type { Setting } from "./harness.js"

/** In the order of the results. */
export const parts: Readonly<Record<string, () => Promise<(setting: Setting) => unknown>>> = {
  calls: async () => (await import("./calls/calls.js")).run,
  upload: async () => (await import("./upload/upload.js")).run,
  growth: async () => (await import("./growth/growth.js")).run,
  faults: async () => (await import("./faults/faults.js")).run,
  imports: async () => (await import("./start/start.js")).runImports,
  weight: async () => (await import("./start/weight.js")).run,
  processes: async () => (await import("./start/start.js")).runProcesses
}

const [, script, name = "", quick] = process.argv
if (script === fileURLToPath(import.meta.url)) {
  const run = await parts[name]?.()
  await run?.({ quick: quick === "true" })
}
