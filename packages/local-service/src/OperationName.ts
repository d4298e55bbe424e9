/**
 * The two operations of the service.
 */
import * as Schema from "effect/Schema"

/**
 * The name of an operation, as the journal and the faults have it.
 *
 * @example
 * ```ts
 * import type { OperationName } from "@effect-speech/local-service"
 *
 * const units: Readonly<Record<OperationName, string>> = { transcribe: "seconds", synthesize: "code points" }
 *
 * export const unitOf = (operation: OperationName): string => units[operation]
 * ```
 *
 * @since 0.1.0
 * @category schemas
 */
export const OperationName = Schema.Literal("transcribe", "synthesize")
/**
 * @since 0.1.0
 * @category schemas
 */
export type OperationName = typeof OperationName.Type
