/** The types of the package, for each compiler and each kind of module, with the strictest settings. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "effect-speech-test-support/processes"
import type { Project } from "../packages/user.js"

export const compilers = ["5.5", "5.6", "5.9", "7"]

const strict = {
  ...{ target: "ES2022", strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ skipLibCheck: false, declaration: true, noEmit: true }
}

const modules = [
  { module: "node16" },
  { module: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
  // A project of CommonJS, as `tsc --init` made it before TypeScript 6.
  { module: "commonjs", moduleResolution: "node10" }
]

const ofNode = { lib: ["ES2022"], types: ["node"] }

/** A project without the types of Node. */
const ofBrowsers = { lib: ["ES2022", "DOM"], types: [], module: "nodenext" }

/** A project with both, as that of a framework. The lib `DOM` has no iteration of streams. */
const ofBoth = { ...ofBrowsers, types: ["node"] }

/** Compiles the files. Returns the errors, those in the declarations of the package included. */
export const compileAll = async ({ folder }: Project): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  for (const compiler of compilers) {
    // TypeScript 7 has removed the resolution of CommonJS alone.
    const kinds = modules.filter(({ module }) => compiler !== "7" || module !== "commonjs")
    for (const settings of [...kinds.map((kind) => ({ ...ofNode, ...kind })), ofBrowsers, ofBoth]) {
      const files = ["types.mts", "types.cts", "types.ts"]
      const config = { compilerOptions: { ...strict, ...settings }, files }
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
      const tsc = join(folder, "node_modules", `typescript-${compiler}`, "bin/tsc")
      const { stdout } = await run(process.execPath, [tsc, "--pretty", "false"], { cwd: folder, mayFail: true })
      const errors = stdout.split("\n").filter((line) => line.includes("error TS"))
      problems.push(...errors.map((error) => `TypeScript ${compiler}, ${settings.module}, ${settings.lib}: ${error}`))
    }
  }
  return problems
}
