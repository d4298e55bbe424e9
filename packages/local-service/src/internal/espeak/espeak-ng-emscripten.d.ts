/** Types of the functions used here. The package has none. */
declare module "@echogarden/espeak-ng-emscripten" {
  interface Engine {
    /** Returns 0 if the voice exists. */
    set_voice(name: string): number
    /** In words per minute. The range is 80 to 450. */
    set_rate(wordsPerMinute: number): void
    /** 0 to 99. */
    set_pitch(pitch: number): void
    /** Speaks SSML. Calls back with each chunk of int16 samples at 22,050 Hz. */
    synthesize(ssml: string, callback: (samples: Int16Array, events: ReadonlyArray<unknown>) => boolean): void
  }
  interface Module {
    readonly eSpeakNGWorker: new () => PromiseLike<Engine>
  }
  const initialize: () => Promise<Module>
  export default initialize
}
