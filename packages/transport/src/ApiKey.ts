/**
 * Checks of an API key, and its removal from text. A key is visible ASCII of the form `<prefix>.<secret>`; the secret may
 * contain more dots.
 */
import type * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Printable from "./Printable.js"

/**
 * A key, or an effect that reads it, from a secret manager for example. The effect runs when the layer is built, and again
 * after the service refused the key, because a new key revokes the old one at once. It always runs with the context and the
 * FiberRefs in which the layer was built.
 */
export type ApiKey = Redacted.Redacted | Effect.Effect<Redacted.Redacted, unknown>

/**
 * The rule that a key breaks, or `undefined` if the key has the right form. The result never contains the key.
 */
export const problemWith = (key: Redacted.Redacted): string | undefined => {
  const value = Redacted.value(key)
  if (value === "") return "it is empty"
  if (!/^[\x21-\x7e]+$/.test(value)) return "it holds a space, a line break or a character that is not ASCII"
  if (!/^[^.]+\../.test(value)) return "it has no dot between a prefix and a secret"
  return undefined
}

/** A shorter secret may be a regular word, so it is replaced only together with its prefix. */
const shortestSecret = 8

/** Names that HTML has for visible characters. The entities of all others are numbers. */
const entityNames: Readonly<Record<string, string>> = {
  "!": "excl",
  '"': "quot",
  "#": "num",
  $: "dollar",
  "%": "percnt",
  "&": "amp",
  "'": "apos",
  "(": "lpar",
  ")": "rpar",
  "*": "ast",
  "+": "plus",
  ",": "comma",
  ".": "period",
  "/": "sol",
  ":": "colon",
  ";": "semi",
  "<": "lt",
  "=": "equals",
  ">": "gt",
  "?": "quest",
  "@": "commat",
  "[": "lsqb",
  "\\": "bsol",
  "]": "rsqb",
  "^": "Hat",
  _: "lowbar",
  "`": "grave",
  "{": "lcub",
  "|": "verbar",
  "}": "rcub"
}

const quoted = (text: string): string => text.replace(/[^A-Za-z0-9]/g, "\\$&")

/** A pattern for the hex digits of a character, in either case. */
const hexOf = (character: string): string =>
  character
    .charCodeAt(0)
    .toString(16)
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

/**
 * A pattern for a character, plain or escaped: percent-encoded, as in JSON and JavaScript, or as an entity of HTML. Each may be
 * escaped again, a few times: without a limit, the time would grow with the square of a long text. Encoders differ in what they
 * escape and in the case of the digits.
 */
const anyForm = (character: string): string => {
  const hex = hexOf(character)
  const name = entityNames[character]
  const entities = [`#0{0,8}${character.charCodeAt(0)}(?!\\d);?`, `#[xX]0{0,8}${hex}(?![0-9A-Fa-f]);?`]
  if (name !== undefined) entities.push(`${name};?`)
  const plain = /[A-Za-z0-9]/.test(character) ? character : `\\\\{0,8}${quoted(character)}`
  return `(?:&(?:amp;){0,4}(?:${entities.join("|")})|%(?:25){0,4}${hex}|\\\\{1,8}(?:u00|x)${hex}|${plain})`
}

/**
 * Patterns for a text in base64 or base64url, also in the middle of other bytes. There the first and the last letter may hold
 * bits of both, so they are left out.
 */
const inBase64 = (text: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const bits = 8 * (before + text.length)
    const letters = btoa("\0".repeat(before) + text).slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6))
    const either = letters.replace(/[+/]/g, (letter) => (letter === "+" ? "[+-]" : "[/_]"))
    return bits % 24 === 0 ? either : `${either}(?:[A-Za-z0-9+/_-]{1,2}={0,2})?`
  })

const inOtherAlphabets = (text: string): ReadonlyArray<string> => {
  const hex = Array.from(text, (character) => character.charCodeAt(0).toString(16)).join("")
  return [hex, hex.toUpperCase(), ...inBase64(text)]
}

interface Patterns {
  /** The key as it is. */
  readonly plain: RegExp
  /** The whole key in another alphabet. */
  readonly converted: RegExp
  /** Text without any of these can't match `converted`, and is searched much faster. */
  readonly parts: ReadonlyArray<string>
  /** The key with some characters escaped. */
  readonly escaped: RegExp
}

/** The patterns of each key. They are used for every header, so they are cached. */
const patterns = new WeakMap<Redacted.Redacted, Patterns>()

const longestWord = (pattern: string): string =>
  pattern.split(/[^A-Za-z0-9]/).reduce((longest, word) => (word.length > longest.length ? word : longest), "")

const patternsOf = (key: Redacted.Redacted): Patterns => {
  const known = patterns.get(key)
  if (known !== undefined) return known
  const value = Redacted.value(key)
  const secret = value.slice(value.indexOf(".") + 1)
  const forms = secret.length < shortestSecret ? [value] : [value, secret]
  const anyOf = (alternatives: ReadonlyArray<string>) => new RegExp(alternatives.join("|"), "g")
  // In another alphabet, a short form may be a part of other text.
  const converted = forms.filter((form) => form.length >= shortestSecret).map(inOtherAlphabets)
  const made = {
    plain: anyOf(forms.map(quoted)),
    converted: anyOf(converted.flat()),
    // The secret is in the whole key.
    parts: (converted.at(-1) ?? []).map((pattern) => longestWord(pattern.replace(/\[.*/, ""))),
    escaped: anyOf(forms.map((form) => Array.from(form, anyForm).join("")))
  }
  patterns.set(key, made)
  return made
}

const redacted = "<redacted>"

/**
 * Removes the key and its secret from text: plain, in hex, in base64, or with any of its characters escaped in URLs, JSON or HTML.
 * The text must be decoded first: another encoding may hide the key.
 */
export const withoutKey = (text: string, key: Redacted.Redacted): string => {
  const { converted, escaped, parts, plain } = patternsOf(key)
  let removed = text.replace(plain, redacted)
  if (parts.some((part) => removed.includes(part))) removed = removed.replace(converted, redacted)
  return /%[2-7]|\\|&[#A-Za-z]/.test(removed) ? removed.replace(escaped, redacted) : removed
}

/** {@link Printable.line}. */
export const printable: (text: string) => string = Printable.line
