import type { Setting } from "./harness.js"

/** The parts of the benchmark, in their order. Each prints Markdown. */
export const parts: Readonly<Record<string, () => Promise<(setting: Setting) => unknown>>> = {
  calls: async () => (await import("./calls/calls.js")).run,
  upload: async () => (await import("./upload/upload.js")).run,
  growth: async () => (await import("./growth/growth.js")).run,
  faults: async () => (await import("./faults/faults.js")).run,
  imports: async () => (await import("./start/start.js")).runImports,
  weight: async () => (await import("./start/weight.js")).run,
  processes: async () => (await import("./start/start.js")).runProcesses
}
