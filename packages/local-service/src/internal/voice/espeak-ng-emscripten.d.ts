/** The part of the engine that is used here: the package ships no types of its own. */
declare module "@echogarden/espeak-ng-emscripten" {
  interface Engine {
    /** 0 where the voice was found. */
    set_voice(name: string): number
    /** Words a minute; the engine hears 80 to 450. */
    set_rate(wordsPerMinute: number): void
    /** 0 to 99. */
    set_pitch(pitch: number): void
    /** Takes SSML, and gives int16 samples at 22,050 Hz as it goes. */
    synthesize(ssml: string, callback: (samples: Int16Array, events: ReadonlyArray<unknown>) => boolean): void
  }
  interface Module {
    readonly eSpeakNGWorker: new () => PromiseLike<Engine>
  }
  const initialize: () => Promise<Module>
  export default initialize
}
