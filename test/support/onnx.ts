/**
 * Writes ONNX files: the few messages of onnx.proto that small graphs need, in the encoding of protocol buffers.
 */
type Field = readonly [number: number, value: bigint | number | string | Uint8Array]

const varint = (value: bigint): ReadonlyArray<number> =>
  value < 0x80n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...varint(value >> 7n)]

const message = (...fields: ReadonlyArray<Field>): Uint8Array =>
  Buffer.concat(
    fields.flatMap(([number, value]) => {
      const tag = BigInt(number << 3)
      const isInteger = typeof value === "bigint" || typeof value === "number"
      if (isInteger) return [Buffer.from([...varint(tag), ...varint(BigInt.asUintN(64, BigInt(value)))])]
      return [Buffer.from([...varint(tag | 2n), ...varint(BigInt(Buffer.byteLength(value)))]), Buffer.from(value)]
    })
  )

const tensor = (name: string, shape: ReadonlyArray<number>, data: Float32Array | BigInt64Array): Field => {
  const type = data instanceof Float32Array ? 1 : 7
  const sizes = shape.map((size): Field => [1, size])
  return [5, message(...sizes, [2, type], [8, name], [9, new Uint8Array(data.buffer)])]
}

const numbersIn = (text: string) => text.replaceAll(/[[\]f]/g, "").split(",")

/** `2` and `[2,3]` are int64, `2f` and `[2,3]f` are float. */
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

/**
 * The bytes of an ONNX file.
 *
 * @param graph.inputs In order, such as `x:float length:int64`.
 * @param graph.outputs As `inputs`.
 * @param graph.lines Such as `y = Transpose(Add(x 2f) perm=[1,0])`: a call has its inputs and then its attributes.
 * @param graph.weights Rows of numbers, by the name of a constant.
 * @param graph.metadata Such as `vocab_size=41 language=English`.
 */
export const onnx = (graph: {
  readonly inputs: string
  readonly outputs: string
  readonly lines: string
  readonly weights?: Readonly<Record<string, ReadonlyArray<ReadonlyArray<number>>>>
  readonly metadata?: string
}): Uint8Array => {
  const literals = new Set<string>()
  const nodes: Array<Field> = []
  const call = (operation: string, words: ReadonlyArray<string>, output: string) => {
    const inputs = words.filter((word) => !word.includes("="))
    for (const input of inputs) if (/^[-[\d]/.test(input)) literals.add(input)
    const attributes = words.filter((word) => word.includes("=")).map(attribute)
    nodes.push([1, message(...inputs.map((input): Field => [1, input]), [2, output], [4, operation], ...attributes)])
    return output
  }
  for (const line of graph.lines.trim().split("\n")) {
    let [output = "", rest = ""] = line.trim().split(" = ")
    while (rest.includes("(")) {
      rest = rest.replace(/(\w+)\(([^()]*)\)/, (found, operation: string, words: string) =>
        call(operation, words.split(" "), found === rest ? output : `${output}.${nodes.length}`)
      )
    }
  }
  const constants = Object.entries(graph.weights ?? {}).map(([name, rows]) =>
    tensor(name, [rows.length, rows[0]?.length ?? 0], Float32Array.from(rows.flat()))
  )
  const values = (number: number, text: string) =>
    text.split(/[ :]/).flatMap((name, index, words): ReadonlyArray<Field> => {
      const type = message([1, message([1, words[index + 1] === "float" ? 1 : 7])])
      return index % 2 === 0 ? [[number, message([1, name], [2, type])]] : []
    })
  const body = [
    ...constants,
    ...Array.from(literals, literal),
    ...values(11, graph.inputs),
    ...values(12, graph.outputs)
  ]
  const properties = (graph.metadata ?? "").split(" ").map((property): Field => {
    const [key = "", value = ""] = property.split("=")
    return [14, message([1, key], [2, value])]
  })
  return message([1, 8], [7, message(...nodes, [2, "tiny"], ...body)], [8, message([2, 13])], ...properties)
}
