// Plain JavaScript: measured processes run without a compiler.
/** Random numbers from 0 to 1, the same for each seed: mulberry32 of Tommy Ettinger (public domain). @param {number} seed */
export const chances = (seed) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Random bytes, the same for each seed. @param {number} length @param {number} seed */
export const noise = (length, seed) => {
  const chance = chances(seed)
  return Uint8Array.from({ length }, () => 256 * chance())
}
