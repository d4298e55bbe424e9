/** A full disk under the store, and one under the output. */
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { RunStatus } from "@effect-speech/archive"
import { run } from "effect-speech-test-support/processes"
import { bar, title } from "effect-speech-test-support/report"
import { barOfNone } from "../support/print.js"
import { until } from "../support/until.js"
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
  tree
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

/** An archive with files that it calls, whose disk becomes full after a quarter of them. */
const startFilling = async (count: number, disk: string, path: string, out: string) => {
  const log = fresh("calls.log")
  const source = { folder: recordings(count) }
  const options = { store: { path }, speech: { millis: 20, log }, concurrency: 8 }
  const archive = await startArchive(options)
  const { id } = await archive.start({ source, out })
  await until(() => calls([log]).length > count / 4)
  fill(disk, 0)
  /** What is wrong in the end: each file was called once, and has the place that it should have. */
  const wrong = (end: RunStatus, settled: number) => {
    const twice = begunTwice(calls([log]))
    return [
      ...(end.state === "ended" && settled === count ? [] : [countsOf(end)]),
      ...(twice > 0 ? [`${twice} files were called twice`] : [])
    ]
  }
  return { archive, id, log, options, run: { source, out }, wrong }
}

export const checkDisk = async ({ quick }: Settings) => {
  title("A full disk")
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    console.log("- left out: only root on Linux can mount a small disk")
    return
  }
  const count = quick ? 400 : 2_000
  await withDisk(64, async (disk) => {
    const { archive, id, log, options, run, wrong } = await startFilling(count, disk, join(disk, "store"), fresh("out"))
    const waiting = archive.ask({ do: "await", id })
    const isOver = await Promise.race([waiting.then(() => true), sleep(8_000).then(() => false)])
    const stalled = calls([log]).length
    rmSync(ballast(disk))
    const { error, status } = await waiting
    const problems: Array<string> = []
    if (!isOver) console.log(`- under the store: the run waits, after ${stalled} of ${2 * count} notes of calls`)
    else if (error === undefined) console.log(`- under the store: ${status?.state}`)
    else {
      console.log(`- under the store: ${error.tag} ${error.code}: ${error.message}`)
      if (!/^Store(Failed|Locked)$/.test(error.tag)) problems.push(`the error is ${error.tag}`)
    }
    const hasEnded = error === undefined && status?.state === "ended"
    // After an error the run may still go on: its process is stopped.
    if (!hasEnded) await archive.stop()
    const next = hasEnded ? archive : await startArchive(options)
    const end = hasEnded ? await next.status(id) : await complete(next, run)
    problems.push(...wrong(end, end.counts.done + end.counts.held))
    await next.stop()
    barOfNone("under the store: nothing is lost or called twice, and the run goes on", problems, countsOf(end))
  })
  await withDisk(8, async (disk) => {
    fill(disk, 0)
    const archive = await startArchive({ store: { path: join(disk, "store") }, speech: { millis: 0 }, concurrency: 8 })
    const run = { source: { folder: recordings(1) }, out: fresh("out") }
    const { error } = await archive.ask({ do: "start", run })
    await archive.stop()
    bar(
      "a store that has no room from the start is a typed error",
      error?.tag === "ArchiveStoreFailed",
      `${error?.tag} ${error?.code}: ${error?.message}`
    )
  })
  await withDisk(64, async (disk) => {
    const out = join(disk, "out")
    const { archive, id, run, wrong } = await startFilling(count, disk, fresh("store"), out)
    const full = await archive.ask({ do: "await", id })
    const what = full.error ?? { tag: full.status?.suspension?.tag ?? full.status?.state, code: "", message: "" }
    console.log(`- under the output: ${what.tag} ${what.code}: ${what.message}`)
    const problems: Array<string> = []
    if (!/ArchiveOutputFailed|PieceStoreError/.test(String(what.tag))) problems.push(`the full disk is ${what.tag}`)
    rmSync(ballast(disk))
    const end = await complete(archive, run)
    await archive.ask({ do: "export", id })
    problems.push(...wrong(end, end.counts.done))
    const found = tree(out)
    rmSync(out, { recursive: true })
    await archive.ask({ do: "export", id })
    problems.push(...differences(tree(out), found))
    if (!existsSync(join(out, "results.jsonl"))) problems.push("there is no results.jsonl")
    await archive.stop()
    const claim = "under the output: a typed error, and all of it is written when there is room"
    barOfNone(claim, problems, countsOf(end))
  })
}
