export * as ModelFolder from "./ModelFolder.js"
export * from "./SherpaError.js"
