/**
 * A store in a file that is moved or removed while a process works on it. The process has the file open and would go on, and the next one
 * would find no store at its path, and pay for everything again.
 */
import { statSync } from "node:fs"
import { systemCode } from "@effect-speech/common/SystemCode"
import * as Effect from "effect/Effect"
import { ArchiveStoreFailed } from "../../ArchiveError.js"
import type { StoreService } from "./Store.js"

const exact = { bigint: true } as const

/** Whether a file is gone from its path, or is another one there. A folder that can't be looked at for now says nothing. */
const movedFrom = (path: string): (() => boolean) => {
  const { dev, ino } = statSync(path, exact)
  return () => {
    try {
      const found = statSync(path, exact)
      return found.dev !== dev || found.ino !== ino
    } catch (error) {
      return ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")
    }
  }
}

/**
 * The store fails once its file, which is open, is not the one at its path: at each heartbeat, before files are claimed, and before a run
 * goes on or ends. What was called before is still recorded. Throws if there is no file.
 */
export const failingIfMoved = (path: string, store: StoreService): StoreService => {
  const isMoved = movedFrom(path)
  const there = Effect.suspend(() => (isMoved() ? Effect.fail(storeMoved(path)) : Effect.void))
  return {
    ...store,
    heartbeat: (machine) => Effect.zipRight(there, store.heartbeat(machine)),
    claim: (...parameters) => Effect.zipRight(there, store.claim(...parameters)),
    begin: (run, event) => Effect.zipRight(there, store.begin(run, event)),
    endIfComplete: (run, epoch) => Effect.zipRight(there, store.endIfComplete(run, epoch)),
    endOutput: (run, epoch) => Effect.zipRight(there, store.endOutput(run, epoch))
  }
}

const storeMoved = (path: string) =>
  new ArchiveStoreFailed({
    store: path,
    message: `The store ${path} was moved or removed while this process worked on it, which has stopped. Give its new path: nothing that is recorded in it is lost. With the old path, a run begins anew and calls each file again. If it was removed, restore a copy: without one, each file is called again.`
  })
