/**
 * Dates and delays in headers.
 */

/**
 * The three date formats of HTTP (RFC 9110, 5.6.7). `Date.parse` alone accepts many more, and reads the third as local
 * time.
 */
const httpDates = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
]

/**
 * Reads a header that holds a date, as milliseconds since 1970.
 *
 * @since 0.1.0
 * @category combinators
 */
export const dateIn = (header: string | undefined): number | undefined => {
  if (header === undefined || !httpDates.some((format) => format.test(header))) return undefined
  const date = Date.parse(header.endsWith(" GMT") ? header : `${header} GMT`)
  return Number.isNaN(date) ? undefined : date
}

/**
 * Delay that a Retry-After header asks for, in milliseconds. The header holds whole seconds or a date (RFC 9110, 10.2.3).
 * `now` is in milliseconds since 1970.
 *
 * @since 0.1.0
 * @category combinators
 */
export const retryAfterMillis = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1000, Number.MAX_SAFE_INTEGER)
  const date = dateIn(header)
  return date === undefined ? undefined : Math.max(0, date - now)
}
