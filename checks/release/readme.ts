/** What the README of a package says to install and to run first. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root, run } from "effect-speech-test-support/processes"
import { writeTinyModels } from "effect-speech-test-support/tinyModels"
import { transform } from "esbuild"
import { lexer } from "marked"

export const readmeOf = (name: string): string => readFileSync(join(root, "packages", name, "README.md"), "utf8")

/** The first line that installs the package. */
export const installLine = (name: string): string => {
  const [line] = /^npm install .+$/m.exec(readmeOf(name)) ?? []
  if (line === undefined) throw new Error(`The README of ${name} does not say how to install it.`)
  return line
}

/** The code blocks of a language. */
const blocksOf = (name: string, language: string): ReadonlyArray<string> =>
  lexer(readmeOf(name)).flatMap((token) => (token.type === "code" && token.lang === language ? [token.text] : []))

/** Files and folders that an example reads, by the names that it gives them: a recording of the greeting, or what is at hand. */
const provideInputs = (code: string, folder: string, greeting: string) => {
  const named = (pattern: RegExp) => [...code.matchAll(pattern)].map(([, name = ""]) => name)
  for (const name of named(/"([\w-]+\.wav)"/g)) copyFileSync(greeting, join(folder, name))
  for (const name of named(/"([\w-]+\.mp3)"/g)) {
    copyFileSync(join(root, "packages/audio-decoder/test/recordings/join.mp3"), join(folder, name))
  }
  for (const name of named(/"([\w-]+\.txt)"/g)) writeFileSync(join(folder, name), "नमस्ते। यह एक लेख है।")
  for (const name of named(/\bfolder\("([\w-]+)"\)/g)) {
    mkdirSync(join(folder, name), { recursive: true })
    copyFileSync(greeting, join(folder, name, "one.wav"))
  }
  for (const name of named(/\bfolder: "([\w-]+)"/g)) {
    writeTinyModels(join(folder, name), { families: ["nemo-ctc", "vits"] })
  }
}

export interface User {
  readonly folder: string
  /** The settings of the local service. */
  readonly env: Readonly<Record<string, string>>
  /** A WAV file with speech of the local service. */
  readonly greeting: string
}

/** Runs the first example of a README, a program or a test. Returns what it prints. */
const runProgram = async (name: string, { env, folder, greeting }: User): Promise<string> => {
  const [code] = blocksOf(name, "ts")
  if (code === undefined) throw new Error(`The README of ${name} has no example.`)
  provideInputs(code, folder, greeting)
  const isTest = /"(@effect\/)?vitest"/.test(code)
  const file = isTest ? "example.test.js" : "example.js"
  writeFileSync(join(folder, file), (await transform(code, { loader: "ts", format: "esm", target: "node20" })).code)
  const [command, ...parameters] = isTest
    ? [join(folder, "node_modules/.bin/vitest"), "run", file]
    : [process.execPath, file]
  const { stderr, stdout } = await run(String(command), parameters, { cwd: folder, env, timeoutMillis: 120_000 })
  return stdout + stderr
}

/** Runs the commands of a README's first example, but for `serve`, which does not end: its service runs already. */
const runCommands = async (name: string, speech: string, { env, folder }: User): Promise<string> => {
  const commands = blocksOf(name, "sh")
    .flatMap((block) => block.split("\n"))
    .filter((line) => /^speech (doctor|synthesize|transcribe)\b/.test(line))
    .slice(0, 3)
  let printed = ""
  for (const line of commands) {
    const command = line.replace(/^speech/, JSON.stringify(speech))
    printed += (await run("sh", ["-c", command], { cwd: folder, env, timeoutMillis: 120_000 })).stdout
  }
  return printed
}

/** Runs the first example of the README of a package that is installed in the folder of a user. Returns what it prints. */
export const runExample = (name: string, user: User): Promise<string> =>
  name === "cli" ? runCommands(name, join(user.folder, "global/bin/speech"), user) : runProgram(name, user)

/** Whether an example prints something: it is a program, and does not only export what a program uses. */
export const prints = (name: string): boolean => {
  const [code = ""] = blocksOf(name, "ts")
  return name === "cli" || /console\.log|Console\.(log|error)|vitest"/.test(code)
}
