import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { probe } from "../src/internal/probe.js"

it.scoped("a file of a million empty Ogg pages is refused after 10 seconds", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* fs.makeTempFileScoped()
    const page = Buffer.alloc(27)
    page.write("OggS")
    yield* fs.writeFile(path, Buffer.alloc(27_000_000, page))
    const probing = yield* Effect.fork(Effect.flip(probe(path, "ogg")))
    yield* TestClock.adjust("10 seconds")
    expect(yield* Fiber.join(probing)).toBe("reading its structure takes more than 10 seconds")
  }).pipe(Effect.provide(NodeFileSystem.layer))
)
