import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Hold } from "../state/accounts.js"

/**
 * A body that is paid for once all but its last byte has been taken: who has the whole of it may be gone before it would
 * be asked for more, and who has not, pays nothing.
 */
export const metered = (whole: Stream.Stream<Uint8Array>, byteLength: number, hold: Hold): Stream.Stream<Uint8Array> =>
  Stream.suspend(() => {
    let left = byteLength
    return Stream.rechunk(whole, 1).pipe(
      Stream.filter((bytes) => bytes.length > 0),
      Stream.flatMap((bytes) => {
        left -= bytes.length
        if (left > 0) return Stream.make(bytes)
        return Stream.concat(
          Stream.make(bytes.subarray(0, -1)),
          Stream.fromEffect(Effect.as(hold.debit, bytes.subarray(-1)))
        )
      })
    )
  })
