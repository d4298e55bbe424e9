export * from "./SherpaError.js"
