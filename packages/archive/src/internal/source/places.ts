import { stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Printable from "@effect-speech/common/Printable"
import * as Stream from "effect/Stream"
import type { SourceItem } from "./SourceItem.js"
import { makeSeen } from "./seen.js"

/** `same`: an earlier text has this id. `taken`: the audio of an earlier text lies in the place of its own. */
export type Place = "free" | "same" | "taken"

const ending = ".wav"

/**
 * Finds texts whose audio would have the place of another's: `menu` and `menu.wav/welcome`, or `Menu` and `menu` where the case of a
 * name does not count.
 */
export const makePlaces = (isFolding: boolean): ((id: string) => Place) => {
  const ids = makeSeen()
  const files = isFolding ? makeSeen() : ids
  const folders = makeSeen()
  return (id) => {
    if (ids.add(id)) return "same"
    const place = isFolding ? id.toLowerCase() : id
    if (isFolding && files.add(place)) return "taken"
    const above: Array<string> = []
    for (let at = place.indexOf(`${ending}/`); at !== -1; at = place.indexOf(`${ending}/`, at + 1)) {
      above.push(place.slice(0, at))
    }
    if (folders.has(place) || above.some(files.has)) return "taken"
    above.forEach(folders.add)
    return "free"
  }
}

/** Whether the file system of a folder, which need not exist, takes names that differ in case only for one. */
export const foldsCase = async (folder: string): Promise<boolean> => {
  const name = basename(folder)
  const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
  const found = await stat(folder).catch(() => undefined)
  if (found !== undefined && swapped !== name) {
    const other = await stat(join(dirname(folder), swapped)).catch(() => undefined)
    return other !== undefined && other.ino === found.ino && other.dev === found.dev
  }
  return dirname(folder) === folder ? false : foldsCase(dirname(folder))
}

/**
 * Where names that differ in case only are one, the transcript of `A.wav` would have the place of that of `a.wav`: the second of such
 * recordings can't be called.
 */
export const inOwnPlaces = <E, R>(items: Stream.Stream<SourceItem, E, R>): Stream.Stream<SourceItem, E, R> =>
  Stream.suspend(() => {
    const paths = makeSeen()
    const places = makeSeen()
    return Stream.map(items, (item): SourceItem => {
      if (paths.add(item.path) || !places.add(item.path.toLowerCase()) || item.problem !== undefined) return item
      const message = Printable.line(
        `The transcript of ${item.path} would have the place of another's, since its name differs in case only. Nothing was sent. Rename the recording, and run again; or choose an output on another file system.`
      )
      return { ...item, problem: { tag: "ArchiveOutputFailed", message } }
    })
  })
