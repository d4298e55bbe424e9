/**
 * Addresses of a database as people write them, well and badly, with a password in each.
 */
import * as FastCheck from "effect/FastCheck"

/** No character of it is in an address or a sentence by chance, four in a row. */
const password = FastCheck.tuple(
  FastCheck.constantFrom("", "3", "34/", "5#", "6?", "3@q/", "43:"),
  FastCheck.string({
    unit: FastCheck.constantFrom(..."qxzjkvQXZJK34566/#?@:%&=;+\\'\"$! ~^[]{}|"),
    minLength: 6,
    maxLength: 12
  })
).map((parts) => parts.join(""))

/** `host` is a host and a port. */
const forms: ReadonlyArray<(secret: string, host: string) => string> = [
  (secret, host) => `postgresql://user:${secret}@${host}/db`,
  (secret, host) => `postgres://user:${secret}@${host}`,
  (secret, host) => `postgresql:/user:${secret}@${host}/db`,
  (secret, host) => `postgres:user:${secret}@${host}/db`,
  (secret, host) => `postgres:\\\\user:${secret}@${host}\\db`,
  (secret, host) => `POSTGRESQL:/user:${secret}@${host}/db`,
  (secret, host) => `postgresql:///user:${secret}@${host}/db`,
  (secret, host) => `postgresql//user:${secret}@${host}/db`,
  (secret, host) => `//user:${secret}@${host}/db`,
  (secret, host) => `my_user:${secret}@${host}/db`,
  (secret, host) => `  postgresql://user:${secret}@${host}/db\n`,
  (secret, host) => `"postgresql://user:${secret}@${host}/db"`,
  (secret, host) => `SPEECH_ARCHIVE_STORE=postgresql://user:${secret}@${host}/db`,
  (secret, host) => `postgresql://${host}/db?user=user&password=${secret}`,
  (secret, host) => `postgresql://${host}/db;password=${secret}`,
  (secret, host) => `postgresql://${host}/db&password=${secret}`,
  (secret, host) => `postgresql://user%3A${secret}@${host}/db`,
  (secret, host) => `postgresql://user%3A${secret}%40${host}/db`,
  (secret, host) => `postgresql://${host}/db%3Fpassword%3D${secret}`,
  (secret, host) => `jdbc:postgresql://${host}/db?user=user&password=${secret}`,
  (secret, host) => `postgresql+ssl://user:${secret}@${host}/db`,
  (secret, host) => `libsql://user:${secret}@${host}/db`,
  (secret, host) => `https://user:${secret}@${host}/db`,
  (secret, host) => `host=${host} user=user password=${secret}`
]

export interface SecretAddress {
  readonly address: string
  /** Each part of four characters of the password, as it is and percent-encoded. */
  readonly parts: ReadonlyArray<string>
}

export const secretAddress = (host: string): FastCheck.Arbitrary<SecretAddress> =>
  FastCheck.tuple(FastCheck.constantFrom(...forms), password, FastCheck.boolean()).map(([form, secret, isEncoded]) => ({
    address: form(isEncoded ? encodeURIComponent(secret) : secret, host),
    parts: [secret, encodeURIComponent(secret)].flatMap((text) =>
      Array.from({ length: text.length - 3 }, (_, at) => text.slice(at, at + 4))
    )
  }))

/** The parts of the password that an output has. */
export const leaked = (output: string, { parts }: SecretAddress): ReadonlyArray<string> =>
  parts.filter((part) => output.includes(part))
