import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { operation, playedTransport } from "./scriptedTransport.js"

it.scoped("a response over any HttpClient is read ahead by 256 KiB, and further as its caller reads it", () =>
  Effect.gen(function* () {
    const chunk = new Uint8Array(64 * 1024)
    let read = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.enqueue(chunk)
          if (++read === 16) controller.close()
        }
      },
      { highWaterMark: 0 }
    )
    const transport = yield* playedTransport(() => Effect.succeed(new Response(body)))
    const { pull } = yield* transport.open({ ...operation(), accept: ({ pull }) => Effect.succeed({ pull }) })
    const settled = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    yield* settled
    expect(read).toBe(5)
    for (let pulled = 0; pulled < 3; pulled++) expect(yield* pull).toEqual(chunk)
    yield* settled
    expect(read).toBe(8)
    let rest = 0
    while ((yield* pull) !== undefined) rest++
    expect([rest, read]).toEqual([13, 16])
  })
)
