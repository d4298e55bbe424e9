/**
 * What {@link describe} knows of a model's folder.
 */
import type { Tokens } from "../families/tokens.js"
import type { Manifest } from "./manifest.js"
import type { Metadata } from "./onnx.js"

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

/** The licence in the head of a README as Hugging Face has it: `license: mit`, between two lines of dashes. */
export const licenceOf = (readme: string): string | undefined => {
  const head = /^---\r?\n(.*?)\r?\n---/s.exec(readme)?.[1]
  return head === undefined ? undefined : /^license:[ \t]*["']?([\w.+-]{1,60})["']?[ \t\r]*$/m.exec(head)?.[1]
}
