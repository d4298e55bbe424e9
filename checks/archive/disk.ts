/** A full disk under the store, and one under the output. */
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { run } from "../../test/support/processes.js"
import { bar, list, title } from "../../test/support/report.js"
import {
  begunTwice,
  calls,
  complete,
  countsOf,
  differences,
  fresh,
  recordings,
  type Settings,
  startArchive,
  tree,
  until
} from "./support.js"

/** Runs `use` with a disk of so many megabytes. */
const withDisk = async (megabytes: number, use: (path: string) => Promise<void>) => {
  const path = fresh("disk")
  mkdirSync(path)
  await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path])
  try {
    await use(path)
  } finally {
    await run("umount", ["-l", path])
  }
}

const ballast = (disk: string) => join(disk, "ballast")

/** Leaves so many bytes of the disk. */
const fill = (disk: string, left: number) => {
  rmSync(ballast(disk), { force: true })
  const { bavail, bsize } = statfsSync(disk)
  try {
    writeFileSync(ballast(disk), Buffer.alloc(Math.max(0, bavail * bsize - left)))
  } catch {
    // The archive wrote something meanwhile: the disk is full as well.
  }
}

export const checkDisk = async ({ quick }: Settings) => {
  title("A full disk")
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    console.log("- left out: only root on Linux can mount a small disk")
    return
  }
  const count = quick ? 400 : 2_000
  const source = { folder: recordings(count) }
  await withDisk(64, async (disk) => {
    const path = join(disk, "store")
    const log = fresh("calls.log")
    const run = { source, out: fresh("out") }
    const options = { store: { path }, speech: { millis: 20, log }, concurrency: 8 }
    const first = await startArchive(options)
    const { id } = await first.start(run)
    await until(() => calls([log]).length > count / 4)
    fill(disk, 0)
    const waiting = first.ask({ do: "await", id })
    const isOver = await Promise.race([waiting.then(() => true), sleep(8_000).then(() => false)])
    const stalled = calls([log]).length
    rmSync(ballast(disk))
    const problems: Array<string> = []
    if (isOver) {
      const { error, status } = await waiting
      console.log(
        `- under the store: ${error === undefined ? status?.state : `${error.tag} ${error.code}: ${error.message}`}`
      )
      if (error !== undefined && !/^Store(Failed|Locked)$/.test(error.tag)) problems.push(`the error is ${error.tag}`)
    } else console.log(`- under the store: the run waits, after ${stalled} of ${2 * count} notes of calls`)
    const answer = await waiting
    // After an error the run may still go on: its process is stopped.
    if (answer.error !== undefined || answer.status?.state !== "ended") await first.stop()
    const next = answer.status?.state === "ended" ? first : await startArchive(options)
    const end = next === first ? await next.status(id) : await complete(next, run)
    if (end.state !== "ended" || end.counts.done + end.counts.held !== count) problems.push(countsOf(end))
    const twice = begunTwice(calls([log]))
    if (twice > 0) problems.push(`${twice} files were called twice`)
    await next.stop()
    list(problems)
    bar("under the store: nothing is lost or called twice, and the run goes on", problems.length === 0, countsOf(end))
  })
  await withDisk(8, async (disk) => {
    fill(disk, 0)
    const archive = await startArchive({ store: { path: join(disk, "store") }, speech: { millis: 0 }, concurrency: 8 })
    const { error } = await archive.ask({ do: "start", run: { source, out: fresh("out") } })
    await archive.stop()
    bar(
      "a store that has no room from the start is a typed error",
      error?.tag === "StoreFailed",
      `${error?.tag} ${error?.code}: ${error?.message}`
    )
  })
  await withDisk(64, async (disk) => {
    const log = fresh("calls.log")
    const options = { store: { path: fresh("store") }, speech: { millis: 20, log }, concurrency: 8 }
    const out = join(disk, "out")
    const problems: Array<string> = []
    const archive = await startArchive(options)
    const { id } = await archive.start({ source, out })
    await until(() => calls([log]).length > count / 4)
    fill(disk, 0)
    const full = await archive.ask({ do: "await", id })
    const what = full.error ?? { tag: full.status?.suspension?.tag ?? full.status?.state, code: "", message: "" }
    console.log(`- under the output: ${what.tag} ${what.code}: ${what.message}`)
    if (!/OutputFailed|PieceStoreError/.test(String(what.tag))) problems.push(`the full disk is ${what.tag}`)
    rmSync(ballast(disk))
    const end = await complete(archive, { source, out })
    await archive.ask({ do: "export", id })
    if (end.state !== "ended" || end.counts.done !== count) problems.push(countsOf(end))
    const twice = begunTwice(calls([log]))
    if (twice > 0) problems.push(`${twice} files were called twice`)
    const found = tree(out)
    rmSync(out, { recursive: true })
    await archive.ask({ do: "export", id })
    for (const difference of differences(tree(out), found)) problems.push(difference)
    if (!existsSync(join(out, "results.jsonl"))) problems.push("there is no results.jsonl")
    await archive.stop()
    list(problems)
    bar(
      "under the output: a typed error, and all of it is written when there is room",
      problems.length === 0,
      countsOf(end)
    )
  })
}
