export * as ModelFolder from "./ModelFolder.js"
export * as Sherpa from "./Sherpa.js"
export * from "./SherpaError.js"
