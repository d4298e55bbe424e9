/**
 * The paths that a caller gives, as text or as `file:` URLs.
 */
import { fileURLToPath } from "node:url"
import * as Either from "effect/Either"

/** The path of a file or a folder, or what is wrong with the value, as the end of a sentence. */
export const pathOf = (given: unknown): Either.Either<string, string> => {
  if (given === "") return Either.left("must not be empty")
  if (typeof given === "string") return Either.right(given)
  if (!(given instanceof URL)) return Either.left("must be a path or a file: URL")
  if (given.protocol !== "file:") return Either.left("must be a file: URL")
  return Either.try({
    try: () => fileURLToPath(given),
    catch: () => "must be the URL of a file on this machine, such as file:///home/me/call.wav"
  })
}
