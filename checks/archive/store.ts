/** Stores of other versions, and files that are none. */
import { mkdirSync, writeFileSync } from "node:fs"
import { bar, title } from "effect-speech-test-support/report"
import { connect } from "./connect.js"
import { complete, fresh, recordings, startArchive } from "./support.js"

/** What becomes of a run on the file: its state, or the tag of the error. */
const outcome = async (path: string, folder: string): Promise<{ readonly what: string; readonly message: string }> => {
  const archive = await startArchive({ store: { path }, speech: { millis: 0 }, concurrency: 4 })
  const started = await archive.ask({ do: "start", run: { source: { folder }, out: fresh("out") } })
  const id = started.status?.id
  const answer = id === undefined ? started : await archive.ask({ do: "await", id })
  await archive.stop()
  const { error, status } = answer
  return error === undefined
    ? { what: `${status?.state}, ${status?.counts.done} done`, message: "" }
    : { what: error.tag, message: error.message }
}

export const checkStore = async () => {
  const folder = recordings(10)
  title("Stores of another version, and files that are none")
  const expect = async (name: string, path: string, expected: string) => {
    const { message, what } = await outcome(path, folder)
    bar(`${name}: ${expected}`, what === expected, `${what}${message === "" ? "" : `: ${message}`}`)
  }

  const older = fresh("older")
  writeFileSync(older, "")
  await expect("a store before its first version is migrated", older, "ended, 10 done")

  const used = fresh("used")
  const archive = await startArchive({ store: { path: used }, speech: { millis: 0 }, concurrency: 4 })
  await complete(archive, { source: { folder }, out: fresh("out") })
  await archive.stop()
  await expect("a store that was used before", used, "ended, 10 done")
  const connection = await connect(used)
  await connection.execute("INSERT INTO archive_migrations (migration_id, name) VALUES (?, ?)", [1_000, "newer"])
  connection.close()
  await expect("a newer store", used, "StoreTooNew")

  const text = fresh("text")
  writeFileSync(text, "This is no store. ".repeat(1_000))
  await expect("a file that is no store", text, "StoreFailed")

  const directory = fresh("directory")
  mkdirSync(directory)
  await expect("a folder", directory, "StoreFailed")
}
