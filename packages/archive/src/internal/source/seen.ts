import { hash } from "node:crypto"

export interface Seen {
  /** Whether the text was added. */
  readonly has: (text: string) => boolean
  /** Adds the text. Returns whether it was added before. */
  readonly add: (text: string) => boolean
}

/**
 * A set of texts. A text takes 16 bytes at most: it is known by 64 bits of its SHA-256. Among a million texts, two have the same
 * 64 bits with a probability of 3 in 100 million.
 */
export const makeSeen = (): Seen => {
  let table = new BigUint64Array(1024)
  let count = 0
  const placeOf = (key: bigint): number => {
    let at = Number(key % BigInt(table.length))
    while (table[at] !== 0n && table[at] !== key) at = (at + 1) % table.length
    return at
  }
  const keyOf = (text: string): bigint => hash("sha256", text, "buffer").readBigUInt64LE() || 1n
  const add = (text: string): boolean => {
    const key = keyOf(text)
    const at = placeOf(key)
    if (table[at] === key) return true
    table[at] = key
    count += 1
    if (count * 2 > table.length) {
      const keys = table
      table = new BigUint64Array(keys.length * 2)
      for (const known of keys) if (known !== 0n) table[placeOf(known)] = known
    }
    return false
  }
  const has = (text: string): boolean => {
    const key = keyOf(text)
    return table[placeOf(key)] === key
  }
  return { has, add }
}
