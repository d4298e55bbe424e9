/**
 * What calls the service for one file of a run. A program gives its archive the workers that it has services for.
 */
export type { Job, Worker } from "./internal/file/job.js"
export { synthesis } from "./internal/file/synthesize.js"
export { transcription } from "./internal/file/transcribe.js"
