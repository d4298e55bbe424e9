/**
 * Where the documents of this project are published.
 */

/**
 * The address of the site of the documents. A release fills it in. Empty: there is none, and messages have no links.
 *
 * @example
 * ```ts
 * import { Documentation } from "@effect-speech/common"
 *
 * export const hasSite = Documentation.address !== ""
 * ```
 *
 * @since 0.1.0
 * @category constants
 */
export const address: string = ""
