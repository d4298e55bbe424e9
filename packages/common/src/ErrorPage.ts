/**
 * Each error of this project has a page in the documents. The message of the error ends with a link to it.
 */
import { cloneable } from "./Cloneable.js"
import { address } from "./Documentation.js"

/**
 * A link to the page of an error, as the end of its message. It begins with a space, and has no full stop, which a terminal could take
 * for a part of the address. Empty if {@link Documentation.address} is.
 *
 * @example
 * ```ts
 * import { ErrorPage } from "@effect-speech/common"
 *
 * console.error(`The account is out of credit.${ErrorPage.linkOf("SttCreditExhausted")}`)
 * ```
 *
 * @since 0.1.0
 * @category encoding and decoding
 */
export const linkOf = (tag: string): string =>
  address === "" ? "" : ` See ${address.replace(/\/+$/, "")}/errors/${tag}`

/**
 * A message without its link, to make it a part of another sentence or of a table.
 *
 * @example
 * ```ts
 * import { ErrorPage } from "@effect-speech/common"
 *
 * export const rowOf = (file: string, error: Error) => `${file}: ${ErrorPage.withoutLink(error.message)}`
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const withoutLink = (message: string): string => message.replace(link, "")

/** One at any address: an error may come from a server whose version has another. The name of a page is that of a class. */
const link = / See \S+\/errors\/[A-Z][A-Za-z\d]*$/

/**
 * A message with the link to the page of its error. One that has a link stays as it is: it may be that of another error, which it quotes,
 * or of a server whose documents are elsewhere.
 *
 * @example
 * ```ts
 * import { ErrorPage } from "@effect-speech/common"
 *
 * export const message = ErrorPage.withLink("The account is out of credit.", "SttCreditExhausted")
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const withLink = (message: string, tag: string): string =>
  withoutLink(message) === message ? `${message}${linkOf(tag)}` : message

type Props = { readonly message?: unknown }

/**
 * The class of a tagged error that is {@link Cloneable.cloneable} and whose message ends with the link to its page. Extend the result. If
 * the class computes its message by a getter, call {@link linkOf} there.
 *
 * @example
 * ```ts
 * import { ErrorPage } from "@effect-speech/common"
 * import { Data } from "effect"
 *
 * export class MenuMissing extends ErrorPage.documented(Data.TaggedError("MenuMissing"))<{ readonly message: string }> {}
 * ```
 *
 * @since 0.1.0
 * @category combinators
 */
export const documented = <Class extends abstract new (...parameters: never) => Error>(errorClass: Class): Class => {
  const Base = errorClass as unknown as new (props: Props, ...others: ReadonlyArray<unknown>) => Error
  class Documented extends Base {
    constructor(props: Props, ...others: ReadonlyArray<unknown>) {
      const message = props?.message
      super(
        typeof message === "string" ? { ...props, message: withLink(message, Base.prototype.name) } : props,
        ...others
      )
    }
  }
  return cloneable(Documented as unknown as Class)
}
