/** Cuts bytes into views of at most `size` bytes. */
export const piecesOf = (bytes: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.byteLength / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size)
  )
