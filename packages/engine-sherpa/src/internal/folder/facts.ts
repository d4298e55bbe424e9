/**
 * What {@link describe} knows of a model's folder.
 */
import type { Manifest } from "./manifest.js"
import type { Metadata } from "./onnx.js"

/** The tokens of a model, from its `tokens.txt`. */
export interface Tokens {
  /** Whether one is `<blk>`, or another name of the blank. */
  readonly hasBlank: boolean
  /** One more than the highest number. */
  readonly size: number
}

/** A file, or a link that leads to one. */
export interface FileFacts {
  /** Its size. */
  readonly bytes: number
  /** Why it can't be loaded, as it follows its name in a sentence. */
  readonly problem?: string | undefined
  /** Of an ONNX file. */
  readonly metadata?: Metadata | undefined
  /** Of a file whose name ends in `tokens.txt`. */
  readonly tokens?: Tokens | undefined
}

export interface Facts {
  /** The name of the folder. */
  readonly name: string
  readonly folder: string
  /** By the path below the folder. Files of folders within are here only if `model.json` names them. */
  readonly files: ReadonlyMap<string, FileFacts>
  /** Whether there is a folder `espeak-ng-data` with all that sherpa-onnx looks for. */
  readonly hasEspeakData: boolean
  /** Folders within that have ONNX files, by their paths below the folder. They are searched if the folder itself has none. */
  readonly inner: ReadonlyArray<string>
  readonly manifest: Manifest
  /** What the head of README.md states. */
  readonly licence?: string | undefined
}

/** In ASCII alone, as sherpa-onnx splits a line: a token may be another space. */
const isSpace = /[ \t\v\f\r]+/

/** Reads a `tokens.txt`: a line for each token, with its number. sherpa-onnx ends the process if a line is malformed. */
export const tokensOf = (text: string): Pick<FileFacts, "problem" | "tokens"> => {
  let number = 0
  let hasBlank = false
  let size = 0
  for (const line of text.split("\n")) {
    number += 1
    const parts = line.split(isSpace).filter((part) => part !== "")
    if (parts.length === 0) continue
    // A line with its number alone is the token for a space.
    const id = parts.at(-1) ?? ""
    if (parts.length > 2 || !/^\d+$/.test(id)) {
      return { problem: `must have a token and its number in each line, but has not in line ${number}` }
    }
    size = Math.max(size, Number(id) + 1)
    hasBlank ||= parts.length === 2 && ["<blk>", "<eps>", "<blank>"].includes(parts[0] as string)
  }
  return size > 0 ? { tokens: { hasBlank, size } } : { problem: "is empty" }
}

/** The licence in the head of a README as Hugging Face has it: `license: mit`, between two lines of dashes. */
export const licenceOf = (readme: string): string | undefined => {
  const head = /^---\r?\n(.*?)\r?\n---/s.exec(readme)?.[1]
  return head === undefined ? undefined : /^license:[ \t]*["']?([\w.+-]{1,60})["']?[ \t\r]*$/m.exec(head)?.[1]
}
