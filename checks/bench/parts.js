/**
 * The parts of the benchmark, in their order.
 *
 * @typedef {{ readonly run: (setting: import("./harness.js").Setting) => unknown }} Part
 */

/** @type {Record<string, { readonly load: () => Promise<Part> }>} */
export const parts = {
  calls: { load: () => import("./calls/calls.js") },
  upload: { load: () => import("./upload/upload.js") },
  faults: { load: () => import("./faults/faults.js") },
  imports: { load: () => import("./start/imports.js") },
  weight: { load: () => import("./start/weight.js") },
  processes: { load: () => import("./start/processes.js") }
}
