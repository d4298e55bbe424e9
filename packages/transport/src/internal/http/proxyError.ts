/**
 * The proxy did not open a connection. `code` is the status of its response, or the code of the failure. Nothing else is
 * kept, because the address of a proxy may hold a password.
 */
export class ProxyError extends Error {
  override readonly name = "ProxyError"
  readonly code: string | undefined

  constructor(code: string | undefined) {
    super("The proxy did not open the connection.")
    this.code = code
  }
}
