/** Numbers, times and names as people write them. */
const whole = new Intl.NumberFormat("en")
const short = new Intl.NumberFormat("en", { notation: "compact" })
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" })
const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" })
const languages = new Intl.DisplayNames("en", { type: "language" })

export const number = (value: number): string => whole.format(value)

/** At most four characters, such as 9.8K. */
export const shortNumber = (value: number): string => (value < 1000 ? String(value) : short.format(value))

/** The time of day, such as 14:05:09. */
export const time = (iso: string): string => clock.format(new Date(iso))

const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" })
const dayOfYear = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric" })

/** The time, with the date if it is not today: 14:05:09, or Jan 31, 14:05:09. */
export const when = (iso: string, now = new Date()): string => {
  const date = new Date(iso)
  if (date.toDateString() === now.toDateString()) return clock.format(date)
  const written = date.getFullYear() === now.getFullYear() ? day : dayOfYear
  return `${written.format(date)}, ${clock.format(date)}`
}

/** A length of audio or of a run: 0.9 s, 4 min 58 s, 1 h 2 min. */
export const duration = (millis: number): string => {
  const tenths = Math.round(millis / 100)
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`
  const seconds = Math.round(millis / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** How long something took: 53 ms, 1.2 s. */
export const took = (value: number): string =>
  value < 1000 ? `${whole.format(Math.round(value))} ms` : duration(value)

export const dateAndTime = (iso: string): string => moment.format(new Date(iso))

/** A position in audio, such as 0:01.5. */
export const position = (seconds: number): string => {
  const tenths = Math.round(seconds * 10)
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0")
  const minutes = Math.floor(tenths / 600)
  if (minutes < 60) return `${minutes}:${rest}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`

export const language = (code: string): string => languages.of(code) ?? code

/** `default_female` becomes "female". */
export const voice = (id: string): string => id.replace(/^default_/, "").replaceAll("_", " ")

export const plural = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? "" : "s"}`

const units = ["kilobyte", "megabyte", "gigabyte"].map(
  (unit) => new Intl.NumberFormat("en", { style: "unit", unit, maximumSignificantDigits: 3 })
)

/** A size, such as 75.6 MB. */
export const bytes = (value: number): string => {
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log10(Math.max(value, 1)) / 3)))
  return units[power - 1]?.format(value / 1000 ** power) ?? ""
}

/** A message of the service as a sentence. */
export const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`
