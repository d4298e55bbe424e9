import type { FormFile } from "./details.js"
import type { OpenEntry } from "./entry.js"
import type { JournalService } from "./journal.js"
import type { KeptWriter } from "./keptFiles.js"

/** Keeps the file of a form while it is read. */
export interface UploadKeeper {
  readonly begin: (file: FormFile) => void
  /** Wait for the result, if there is one, before you write more. */
  readonly write: (chunk: Uint8Array) => Promise<void> | undefined
  readonly end: (isWhole: boolean) => void
}

export const makeUploadKeeper = (entry: OpenEntry, { audioOf, keepText }: JournalService): UploadKeeper => {
  let writer: KeptWriter | undefined
  let length = 0
  return {
    begin: ({ fileName, mediaType }) => {
      if (fileName !== undefined) keepText(entry, "fileName", fileName)
      writer = audioOf(entry, { _tag: "Uploaded", mediaType }).writer()
    },
    write: (chunk) => {
      length += chunk.length
      return writer?.write(chunk)
    },
    end: (isWhole) => {
      if (isWhole && writer !== undefined) entry.fileBytes = length
      if (isWhole) writer?.end()
      else writer?.discard()
    }
  }
}
