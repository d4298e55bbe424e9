/**
 * A Chromium for tests. It comes from the environment, from the npm package `@sparticuz/chromium`, or is an installed one.
 */
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createBrotliDecompress } from "node:zlib"
import { type Browser, chromium } from "playwright-core"
import { isExecutable } from "./programs.js"

/** Where a Chromium is: a program, or the folder of archives of `@sparticuz/chromium`. */
type Source = { readonly program: string } | { readonly archives: string }

/** In the order of preference: `CHROME`, the npm package, an installed Chrome, Chromium or Edge. */
const findSource = (): Source | undefined => {
  const { CHROME = "" } = process.env
  if (CHROME !== "") return { program: CHROME }
  const archives = archivesOfPackage()
  if (archives !== undefined) return { archives }
  const program = installed().find(isExecutable)
  return program === undefined ? undefined : { program }
}

/** The package has a program for Linux on x64 only. */
const archivesOfPackage = (): string | undefined => {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined
  try {
    const main = createRequire(import.meta.url).resolve("@sparticuz/chromium")
    const archives = join(dirname(main), "../../bin")
    return existsSync(join(archives, "chromium.br")) ? archives : undefined
  } catch {
    return undefined
  }
}

const installed = (): ReadonlyArray<string> => {
  const { env } = process
  if (process.platform === "darwin") {
    return ["Google Chrome", "Chromium", "Microsoft Edge"].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`
    )
  }
  if (process.platform === "win32") {
    return [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA].flatMap((folder) =>
      folder === undefined
        ? []
        : [join(folder, "Google/Chrome/Application/chrome.exe"), join(folder, "Microsoft/Edge/Application/msedge.exe")]
    )
  }
  const names = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "microsoft-edge"]
  return (env.PATH ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))
}

const source = findSource()

/** Whether tests can have a browser. */
export const hasChromium = source !== undefined

/** Says why the tests in a browser are skipped. */
export const noChromium = "There is no browser: install Chrome, Chromium or Edge, or set CHROME to the path of one."

/**
 * Starts a browser without a window. Sound plays without a click, the microphone hears beeps, and each name below `.example` is this machine.
 * `close` ends it and removes its files.
 */
export const startChromium = async (): Promise<Browser> => {
  if (source === undefined) throw new Error(noChromium)
  const { env, folder, program } =
    "program" in source ? { program: source.program, env: {}, folder: undefined } : await unpack(source.archives)
  const remove = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  process.once("exit", remove)
  try {
    const browser = await chromium.launch({
      executablePath: program,
      // As root there is no sandbox, and inside containers often none. The browser opens pages of these tests only.
      chromiumSandbox: false,
      args: [
        "--autoplay-policy=no-user-gesture-required",
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        "--host-resolver-rules=MAP *.example 127.0.0.1"
      ],
      env: { ...process.env, ...env }
    })
    browser.on("disconnected", remove)
    return browser
  } catch (error) {
    remove()
    throw error
  }
}

/** Unpacks the program and the shared libraries that it needs into a private folder. */
const unpack = async (archives: string) => {
  const folder = mkdtempSync(join(tmpdir(), "effect-speech-chromium-"))
  const program = join(folder, "chromium")
  const decompress = (name: string, to: NodeJS.WritableStream) =>
    pipeline(createReadStream(join(archives, `${name}.br`)), createBrotliDecompress({ chunkSize: 1 << 20 }), to)
  const extract = async (name: string) => {
    const tar = join(folder, `${name}.tar`)
    await decompress(`${name}.tar`, createWriteStream(tar))
    await extractFiles(await readFile(tar), join(folder, name))
  }
  try {
    await Promise.all([
      decompress("chromium", createWriteStream(program, { mode: 0o700 })),
      extract("al2023"),
      ...(hasFonts ? [] : [extract("fonts")])
    ])
    if (!hasFonts) await writeFile(join(folder, "fonts.conf"), `<fontconfig><dir>${folder}/fonts</dir></fontconfig>`)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    folder,
    program,
    env: {
      LD_LIBRARY_PATH: join(folder, "al2023"),
      ...(hasFonts ? {} : { FONTCONFIG_FILE: join(folder, "fonts.conf") })
    }
  }
}

const hasFonts = existsSync("/etc/fonts/fonts.conf")

/** Writes the files of a tar archive into one folder, without their folders in the archive. */
const extractFiles = async (tar: Buffer, folder: string) => {
  await mkdir(folder)
  const text = (from: number, to: number) => tar.toString("latin1", from, to).replace(/\0.*/s, "")
  for (let offset = 0; offset < tar.length && tar[offset] !== 0; ) {
    // The header of ustar: the name at 0, the size in octal at 124, the type at 156.
    const name = basename(text(offset, offset + 100))
    const size = Number.parseInt(text(offset + 124, offset + 136), 8)
    const isFile = ["0", ""].includes(text(offset + 156, offset + 157))
    const start = offset + 512
    if (isFile) await writeFile(join(folder, name), tar.subarray(start, start + size))
    offset = start + Math.ceil(size / 512) * 512
  }
}
