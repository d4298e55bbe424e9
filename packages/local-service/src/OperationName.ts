/**
 * The two operations of the service.
 */
import * as Schema from "effect/Schema"

export const OperationName = Schema.Literal("transcribe", "synthesize")
export type OperationName = typeof OperationName.Type
