/**
 * What the events of a call say of it.
 */
import type { CallEvent } from "../CallEvent.js"

/**
 * Whether an event replaces an earlier one of the same call that still waits for a slow handler: later progress of an upload.
 *
 * @since 0.1.0
 * @category combinators
 */
export const replaces = (later: CallEvent, earlier: CallEvent): boolean =>
  later._tag === "Uploading" && earlier._tag === "Uploading" && later.attempt === earlier.attempt

/**
 * Whether a call waits after this event, for its turn or for a retry: nothing of it is in flight.
 *
 * @since 0.1.0
 * @category guards
 */
export const isWaiting = ({ _tag }: CallEvent): boolean => _tag === "Queued" || _tag === "Retrying"
