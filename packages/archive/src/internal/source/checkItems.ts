import * as Printable from "@effect-speech/common/Printable"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ArchiveSourceFailed } from "../../ArchiveError.js"
import { pathProblem } from "../pathProblem.js"
import type { SourceItem } from "./SourceItem.js"

const sha256 = /^[0-9a-f]{64}$/

const problemOf = ({ content, line, path, problem }: SourceItem): string | undefined => {
  // It is not called, and recorded under the name that it has.
  if (problem !== undefined) return undefined
  const wrongPath = pathProblem(path)
  if (wrongPath !== undefined) return `path ${wrongPath}`
  const isKnown = content === undefined ? line === undefined : sha256.test(content)
  return isKnown ? undefined : "content must be a SHA-256 of 64 hexadecimal digits"
}

/** Checks the items of a source, which may be a program's own: a wrong path has no place in the output, and a wrong digest names other content. */
export const checkItems = <R>(
  items: Stream.Stream<SourceItem, ArchiveSourceFailed, R>,
  root: string
): Stream.Stream<SourceItem, ArchiveSourceFailed, R> =>
  Stream.suspend(() => {
    let number = 0
    const failureOf = (item: SourceItem): ArchiveSourceFailed | undefined => {
      number++
      const problem = problemOf(item)
      if (problem === undefined) return undefined
      const sentence = `Item ${number} of ${root} (${item.path}) can't be used: ${problem}. Correct the source.`
      return new ArchiveSourceFailed({ path: root, line: number, message: Printable.line(sentence) })
    }
    return Stream.mapChunksEffect(items, (chunk) => {
      for (const item of chunk) {
        const failure = failureOf(item)
        if (failure !== undefined) return Effect.fail(failure)
      }
      return Effect.succeed(chunk)
    })
  })
