/**
 * The two operations of the service.
 */
import * as Schema from "effect/Schema"

/**
 * @since 0.1.0
 * @category schemas
 */
export const OperationName = Schema.Literal("transcribe", "synthesize")
/**
 * @since 0.1.0
 * @category schemas
 */
export type OperationName = typeof OperationName.Type
