/**
 * Writes an ONNX file from a text: the few messages of onnx.proto that small graphs need, in the encoding of protocol buffers.
 */
type Field = readonly [number: number, value: bigint | number | string | Uint8Array]

const varint = (value: bigint): ReadonlyArray<number> =>
  value < 0x80n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...varint(value >> 7n)]

const bytesOf = ([number, value]: Field): Uint8Array => {
  const tag = BigInt(number << 3)
  const isInteger = typeof value === "bigint" || typeof value === "number"
  if (isInteger) return Buffer.from([...varint(tag), ...varint(BigInt.asUintN(64, BigInt(value)))])
  return Buffer.concat([
    Buffer.from([...varint(tag | 2n), ...varint(BigInt(Buffer.byteLength(value)))]),
    Buffer.from(value)
  ])
}

const message = (...fields: ReadonlyArray<Field>): Uint8Array => Buffer.concat(fields.map(bytesOf))

const tensor = (name: string, shape: ReadonlyArray<number>, data: Float32Array | BigInt64Array): Field => {
  const type = data instanceof Float32Array ? 1 : 7
  return [5, message(...shape.map((size): Field => [1, size]), [2, type], [8, name], [9, new Uint8Array(data.buffer)])]
}

const numbersIn = (text: string) => text.replaceAll(/[[\]f]/g, "").split(",")

const literal = (text: string): Field => {
  const numbers = numbersIn(text)
  const data = text.endsWith("f") ? Float32Array.from(numbers, Number) : BigInt64Array.from(numbers, BigInt)
  return tensor(text, text.startsWith("[") ? [numbers.length] : [], data)
}

const attribute = (text: string): Field => {
  const [name = "", value = ""] = text.split("=")
  const [number, type] = value.startsWith("[") ? [8, 7] : [3, 2]
  return [5, message([1, name], ...numbersIn(value).map((integer): Field => [number, BigInt(integer)]), [20, type])]
}

const numbers = { in: 11, out: 12, meta: 14 }
type Listed = keyof typeof numbers

/** An input or an output, such as `x:float`, or metadata, such as `vocab_size=41`. */
const listed = (what: Listed, text: string): Field => {
  const [name = "", right = ""] = text.split(/[:=]/)
  const type = message([1, message([1, right === "float" ? 1 : 7])])
  return [numbers[what], message([1, name], [2, what === "meta" ? right : type])]
}

/**
 * @param text `in` and `out` have names with types, in order, and `meta` the metadata. Any other line is a call, with its inputs and
 * then its attributes: `y = Transpose(Add(x 2f) perm=[1,0])`. `2` and `[2,3]` are int64, and `2f` and `[2,3]f` float.
 * @param weights Rows of numbers, by the name of a constant.
 */
export const onnx = (text: string, weights: Readonly<Record<string, ReadonlyArray<ReadonlyArray<number>>>> = {}) => {
  const nodes: Array<Field> = []
  const lists: Record<Listed, Array<Field>> = { in: [], out: [], meta: [] }
  const literals = new Set<string>()
  const call = (operation: string, words: ReadonlyArray<string>, output: string) => {
    const inputs = words.filter((word) => !word.includes("="))
    for (const input of inputs) if (/^[-[\d]/.test(input)) literals.add(input)
    const attributes = words.filter((word) => word.includes("=")).map(attribute)
    nodes.push([1, message(...inputs.map((input): Field => [1, input]), [2, output], [4, operation], ...attributes)])
    return output
  }
  for (const line of text.split("\n")) {
    const [first = "", ...words] = line.trim().split(" ")
    if (Object.hasOwn(lists, first)) lists[first as Listed].push(...words.map((word) => listed(first as Listed, word)))
    for (let rest = words.slice(1).join(" "); rest.includes("("); ) {
      rest = rest.replace(/(\w+)\(([^()]*)\)/, (found, operation: string, inputs: string) =>
        call(operation, inputs.split(" "), found === rest ? first : `${first}.${nodes.length}`)
      )
    }
  }
  const constants = Object.entries(weights).map(([name, rows]) =>
    tensor(name, [rows.length, rows[0]?.length ?? 0], Float32Array.from(rows.flat()))
  )
  const graph = message(
    ...nodes,
    [2, "tiny"],
    ...constants,
    ...Array.from(literals, literal),
    ...lists.in,
    ...lists.out
  )
  return message([1, 8], [7, graph], [8, message([2, 13])], ...lists.meta)
}
