import type { IncomingHttpHeaders } from "node:http"

const hasOwnOrigin = ({ host, origin }: IncomingHttpHeaders): boolean =>
  origin === `http://${host}` || origin === `https://${host}`

/**
 * Whether the page of this very origin sent a request. The cookie does not show it: a browser sends it to each port of the host, and
 * with requests of the pages of other ports. A browser that knows `Sec-Fetch-Site` sends it with each request, and a page can't set it.
 */
export const isFromOwnPage = (headers: IncomingHttpHeaders): boolean => {
  const { origin, "sec-fetch-site": site } = headers
  if (origin !== undefined && !hasOwnOrigin(headers)) return false
  return site === undefined ? origin !== undefined : site === "same-origin"
}

/**
 * Whether a web page of another origin sent a request. A browser that does not send `Sec-Fetch-Site` sends `Origin` with each POST.
 * A program sends neither. A development server that forwards the requests of its own page sends `Sec-Fetch-Site: same-origin`.
 */
export const isFromForeignPage = (headers: IncomingHttpHeaders): boolean => {
  const { origin, "sec-fetch-site": site } = headers
  return site === undefined ? origin !== undefined && !hasOwnOrigin(headers) : site !== "same-origin" && site !== "none"
}
