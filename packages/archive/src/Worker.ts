/**
 * What calls the service for one file of a run. A program gives its archive the workers that it has services for.
 */
export type { Job, Worker } from "./internal/worker/job.js"
export { synthesis } from "./internal/worker/synthesis.js"
export { transcription } from "./internal/worker/transcription.js"
