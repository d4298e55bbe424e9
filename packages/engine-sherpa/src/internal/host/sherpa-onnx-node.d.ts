/** Types of the functions used here. The package has none. */
declare module "sherpa-onnx-node" {
  interface OfflineStream {
    readonly handle: unknown
    acceptWaveform(waveform: { readonly samples: Float32Array; readonly sampleRate: number }): void
  }
  class OfflineRecognizer {
    private constructor()
    static createAsync(config: object): Promise<OfflineRecognizer>
    readonly config: { readonly modelConfig?: { readonly whisper?: object } }
    createStream(hotwords?: string): OfflineStream
    setConfig(config: object): void
    /** Computes in a thread of libuv's pool. The result is parsed JSON. */
    decodeAsync(stream: OfflineStream): Promise<unknown>
  }
  class OfflineTts {
    private constructor()
    static createAsync(config: object): Promise<OfflineTts>
    /** In Hz. */
    readonly sampleRate: number
    generateAsync(request: {
      readonly text: string
      readonly sid: number
      readonly speed: number
    }): Promise<{ readonly samples: Float32Array; readonly sampleRate: number }>
  }
  const sherpa: { readonly OfflineRecognizer: typeof OfflineRecognizer; readonly OfflineTts: typeof OfflineTts }
  export default sherpa
}

declare module "sherpa-onnx-node/addon.js" {
  const addon: {
    /** The result of a stream that was decoded. */
    readonly getOfflineStreamResultAsJson: (handle: unknown) => string
  }
  export default addon
}
