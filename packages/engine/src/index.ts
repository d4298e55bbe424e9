export * from "./Model.js"
export * from "./Recogniser.js"
export type { Samples } from "./Samples.js"
export * from "./Voice.js"
