/** The whole number from `from` to `to` that is nearest below the value. NaN counts as `from`. */
export const wholeWithin = (value: number, from: number, to: number): number =>
  Math.min(to, Math.max(from, Math.floor(value) || from))
