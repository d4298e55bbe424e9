/** Other runtimes than this Node, from the npm registry. */
import { run } from "effect-speech-test-support/processes"

/** A runtime, and how it is called. */
export interface Runtime {
  /** Its package in the npm registry, which has the name of its command. */
  readonly package: string
  /** Parameters that run a program, and that run one line. */
  readonly run: ReadonlyArray<string>
  readonly evaluate: string
}

export const nodeOf = (version: string): Runtime => ({ package: `node@${version}`, run: [], evaluate: "--eval" })

export const bun: Runtime = { package: "bun@1.4.5", run: [], evaluate: "--eval" }

export const deno: Runtime = {
  package: "deno@2.9.6",
  run: ["run", "--allow-all", "--no-lock", "--quiet"],
  evaluate: "eval"
}

/** Installs the runtime from the registry, unless npx has it already. Returns its path and version. */
export const install = async ({ evaluate, package: from }: Runtime) => {
  const [name = "", version = ""] = from.split("@")
  const line = "console.log(process.execPath)"
  const { stdout } = await run("npx", ["--yes", `--package=${from}`, name, evaluate, line])
  return { path: stdout.trim(), version }
}
