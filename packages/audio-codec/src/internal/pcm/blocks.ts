import * as Stream from "effect/Stream"

/** Turns blocks into others. `push` returns those that a block completes; nothing is pushed after `flush`. */
export interface Converter<in In, out Out> {
  readonly push: (block: In) => ReadonlyArray<Out>
  readonly flush: () => ReadonlyArray<Out>
}

/** Runs a stream through a converter, which is made anew for each run. */
export const through = <In, Out, E, R>(
  blocks: Stream.Stream<In, E, R>,
  make: () => Converter<In, Out>
): Stream.Stream<Out, E, R> =>
  Stream.suspend(() => {
    const converter = make()
    return Stream.concat(
      Stream.mapConcat(blocks, converter.push),
      Stream.suspend(() => Stream.fromIterable(converter.flush()))
    )
  })
