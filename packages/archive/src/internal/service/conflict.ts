import * as Printable from "@effect-speech/common/Printable"
import { ArchiveRunConflict } from "../../ArchiveError.js"
import type { RunSettings } from "../../Run.js"
import { encodeOperation } from "../model/identity.js"

/** What decides the result of a file, by the name of the field. A field that is `undefined` is missing. */
const decisive = ({
  byContent,
  operation
}: Pick<RunSettings, "byContent" | "operation">): ReadonlyMap<string, string> => {
  const { _tag, ...fields } = encodeOperation(operation)
  const all: Record<string, unknown> = { operation: _tag, byContent, ...fields }
  return new Map(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, JSON.stringify(value)]]))
  )
}

/** Lists and objects are long, and fields of a service can hold anything. */
const shown = (name: string, there: string | undefined, here: string | undefined): string => {
  const words = (json: string | undefined) => (json === undefined ? "not set" : json.replace(/^"(.*)"$/s, "$1"))
  return [there, here].some((json) => json !== undefined && /^[[{]/.test(json))
    ? `another ${name}`
    : `${name} ${words(there)} there, ${words(here)} here`
}

/** The conflict of a run that is stored with one that is requested for the same output, if there is one. */
export const conflictOf = (
  run: string,
  stored: RunSettings,
  requested: Pick<RunSettings, "byContent" | "operation">
): ArchiveRunConflict | undefined => {
  const [there, here] = [decisive(stored), decisive(requested)]
  const differences = [...new Set([...there.keys(), ...here.keys()])]
    .filter((name) => there.get(name) !== here.get(name))
    .map((name) => shown(name, there.get(name), here.get(name)))
  if (differences.length === 0) return undefined
  return new ArchiveRunConflict({
    run,
    message: Printable.line(
      `${stored.output.directory} has the results of another run: ${differences.join("; ")}. Give the same again, or another output.`
    )
  })
}
