import { dual } from "effect/Function"
import * as Stream from "effect/Stream"

/** Turns blocks into others, such as samples into pieces. */
export interface Converter<in In, out Out> {
  /** Returns what this block completes. */
  readonly push: (block: In) => ReadonlyArray<Out>
  /** Returns the rest. Do not push after it. */
  readonly flush: () => ReadonlyArray<Out>
}

/** Whether a function was called with its samples or its stream first, and not with a number: see `dual`. */
export const startsWithData = (args: IArguments): boolean => typeof args[0] === "object"

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

/** The function for streams of a constructor of converters. */
export const streamed = <Options extends ReadonlyArray<unknown>, Out>(
  make: (...options: Options) => Converter<Float32Array, Out>
): {
  (...options: Options): <E, R>(blocks: Stream.Stream<Float32Array, E, R>) => Stream.Stream<Out, E, R>
  <E, R>(blocks: Stream.Stream<Float32Array, E, R>, ...options: Options): Stream.Stream<Out, E, R>
} =>
  dual(startsWithData, <E, R>(blocks: Stream.Stream<Float32Array, E, R>, ...options: Options) =>
    through(blocks, () => make(...options))
  )

/** As {@link through}, with a converter that returns one block each time. An empty one is dropped. */
export const throughOne = <In, Out extends { readonly length: number }, E, R>(
  blocks: Stream.Stream<In, E, R>,
  make: () => { readonly push: (block: In) => Out; readonly flush: () => Out }
): Stream.Stream<Out, E, R> =>
  through(blocks, () => {
    const { flush, push } = make()
    const unlessEmpty = (block: Out) => (block.length === 0 ? [] : [block])
    return { push: (block) => unlessEmpty(push(block)), flush: () => unlessEmpty(flush()) }
  })
