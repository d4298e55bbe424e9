import { readFileSync } from "node:fs"
import wabt from "wabt"

/** Compiles `kernel.wat`. Returns the content of `src/internal/kernel/kernelModule.ts`. */
export const compileKernel = async (): Promise<string> => {
  const { parseWat } = await wabt()
  const source = readFileSync(new URL("./kernel.wat", import.meta.url), "utf8")
  const module = parseWat("kernel.wat", source, { simd: true })
  module.validate()
  const base64 = Buffer.from(module.toBinary({}).buffer).toString("base64")
  return `/** \`kernel/kernel.wat\`, compiled by \`pnpm build:kernel\`. */\nexport const kernelModule =\n  "${base64}"\n`
}
