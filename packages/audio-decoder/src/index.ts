export * as NodeAudioDecoder from "./NodeAudioDecoder.js"
