import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { makeWorld, rules } from "./support/modelWorld.js"

const killed = { killed: true, cause: "Its process ended by SIGKILL." }
const crashed = { killed: false, cause: "We expect that tokens.txt contains the symbol <blk>." }

/** A model that is loaded, with a request in. */
const ready = () => {
  const world = makeWorld()
  const request = world.enter()
  world.loaded()
  return { world, request }
}

const pick = (from: ReadonlyArray<number>, index: number) => from[index % from.length] ?? 0

describe("in any history, the supervisor of a model", () => {
  const which = FastCheck.nat(9)
  const command = FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.record({ do: FastCheck.constant("enter" as const) }) },
    { weight: 10, arbitrary: FastCheck.record({ do: FastCheck.constant("ask" as const), which }) },
    { weight: 10, arbitrary: FastCheck.record({ do: FastCheck.constant("done" as const), which }) },
    { weight: 6, arbitrary: FastCheck.record({ do: FastCheck.constant("loaded" as const) }) },
    { weight: 4, arbitrary: FastCheck.record({ do: FastCheck.constant("leave" as const), which }) },
    { weight: 2, arbitrary: FastCheck.record({ do: FastCheck.constant("withdraw" as const), which }) },
    { weight: 2, arbitrary: FastCheck.record({ do: FastCheck.constant("load" as const) }) },
    { weight: 2, arbitrary: FastCheck.record({ do: FastCheck.constant("leaveAll" as const) }) },
    {
      weight: 3,
      arbitrary: FastCheck.record({
        do: FastCheck.constant("ended" as const),
        ending: FastCheck.constantFrom(killed, killed, crashed)
      })
    },
    {
      weight: 6,
      arbitrary: FastCheck.record({
        do: FastCheck.constant("pass" as const),
        millis: FastCheck.constantFrom(0, 400, 600, 5000, 20_000, 100_000)
      })
    }
  )
  it("answers each request and each piece once, in order, within its limits, and all of them in the end", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(command, { maxLength: 60, size: "max" }),
        FastCheck.record({
          inProcess: FastCheck.integer({ min: 1, max: 3 }),
          places: FastCheck.integer({ min: 1, max: 5 }),
          idle: FastCheck.constantFrom(0, 10_000, Number.POSITIVE_INFINITY)
        }),
        (commands, chosen) => {
          const world = makeWorld(chosen)
          const loads: Array<number> = []
          for (const each of commands) {
            if (each.do === "enter") world.enter()
            else if (each.do === "load") loads.push(world.load())
            else if (each.do === "loaded") world.loaded()
            else if (each.do === "ended") world.ended(each.ending)
            else if (each.do === "pass") world.pass(each.millis)
            else if (each.do === "done") world.done(pick(world.inHost, each.which))
            else if (each.do === "leave") world.leave(pick(world.inside, each.which))
            else if (each.do === "leaveAll") world.inside.forEach(world.leave)
            else if (each.do === "ask" && world.inside.length > 0) world.ask(pick(world.inside, each.which))
            else if (each.do === "withdraw" && world.asked.length > 0) world.withdraw(pick(world.asked, each.which))
          }
          // From now on the process works.
          const isBusy = () =>
            world.asked.length > 0 || world.inHost.length > 0 || loads.some((load) => !world.answers.has(load))
          for (let turn = 0; turn < 100 && isBusy(); turn++) {
            world.loaded()
            for (const piece of world.inHost) world.done(piece)
            world.pass(1000)
          }
          expect(world.asked).toEqual([])
          for (const request of world.inside) world.leave(request)
          expect(world.broken).toEqual([])
          for (const load of loads) expect(world.answers.has(load)).toBe(true)
          if (chosen.idle < 100_000) {
            world.pass(200_000)
            expect(["unloaded", "refused"]).toContain(world.state)
            expect(world.isRunning).toBe(false)
          }
        }
      ),
      { seed: 36, numRuns: 1000 }
    )
  })
})

describe("a piece that ends any process that works on it", () => {
  const command = FastCheck.oneof(
    { weight: 3, arbitrary: FastCheck.record({ do: FastCheck.constant("enter" as const) }) },
    {
      weight: 8,
      arbitrary: FastCheck.record({
        do: FastCheck.constant("ask" as const),
        which: FastCheck.nat(9),
        of: FastCheck.constantFrom("innocent" as const, "innocent" as const, "poison" as const)
      })
    },
    { weight: 6, arbitrary: FastCheck.record({ do: FastCheck.constant("work" as const), which: FastCheck.nat(9) }) },
    {
      weight: 1,
      arbitrary: FastCheck.record({ do: FastCheck.constant("withdraw" as const), which: FastCheck.nat(9) })
    },
    { weight: 4, arbitrary: FastCheck.record({ do: FastCheck.constant("start" as const) }) },
    { weight: 1, arbitrary: FastCheck.record({ do: FastCheck.constant("failToStart" as const) }) }
  )

  it("fails alone, and each innocent piece is delivered", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(command, { maxLength: 60, size: "max" }),
        FastCheck.integer({ min: 1, max: 4 }),
        (commands, inProcess) => {
          const world = makeWorld({ inProcess, places: 100 })
          const kinds = new Map<number, "innocent" | "poison">()
          world.load()
          world.loaded()
          const start = () => {
            world.pass(600)
            world.loaded()
          }
          for (const each of commands) {
            if (each.do === "enter") world.enter()
            else if (each.do === "start") start()
            else if (each.do === "failToStart") {
              world.pass(600)
              if (world.state === "loading") world.ended(crashed)
            } else if (each.do === "ask" && world.inside.length > 0) {
              kinds.set(world.ask(pick(world.inside, each.which), each.of), each.of)
            } else if (each.do === "work") world.work(pick(world.inHost, each.which))
            else if (each.do === "withdraw" && world.asked.length > 0) {
              const piece = pick(world.asked, each.which)
              world.withdraw(piece)
              kinds.delete(piece)
            }
          }
          for (let turn = 0; turn < 300 && world.asked.length > 0; turn++) {
            for (const piece of world.inHost) world.work(piece)
            world.pass(20_000)
            world.loaded()
          }
          expect(world.broken).toEqual([])
          for (const [piece, kind] of kinds) {
            expect(world.answers.get(piece)).toBe(kind === "poison" ? "Failed" : "delivered")
          }
        }
      ),
      { seed: 36, numRuns: 300 }
    )
  })
})

describe("the supervisor of a model", () => {
  it("starts its process with the first request, and ends it when there was none for long", () => {
    const { request, world } = ready()
    world.pass(rules.idle * 3)
    expect(world.state).toBe("ready")
    world.leave(request)
    world.pass(rules.idle - 1)
    expect(world.state).toBe("ready")
    world.pass(1)
    expect(world.state).toBe("unloaded")
    world.enter()
    expect(world.state).toBe("loading")
  })

  it("rejects what does not fit, and says when to come again by how long a request takes", () => {
    const { request, world } = ready()
    const piece = world.ask(request)
    world.pass(7000)
    world.done(piece)
    world.leave(request)
    // One that left before its turn.
    world.leave(world.enter())
    const admitted = Array.from({ length: rules.places }, world.enter)
    const rejected = world.enter()
    expect(admitted.map((each) => world.answers.get(each))).toEqual(admitted.map(() => "admitted"))
    expect(world.failures.get(rejected)).toEqual({ reason: "Overloaded", cause: "", retryAfterMillis: 7000 })
    // Those that are in take longer than that.
    const estimateAfter = (millis: number) => {
      world.pass(millis)
      return world.failures.get(world.enter())?.retryAfterMillis
    }
    expect([5000, 15_000, 80_000].map(estimateAfter)).toEqual([7000, 20_000, 60_000])
    world.leave(admitted[2] ?? 0)
    expect(world.answers.get(world.enter())).toBe("admitted")
  })

  it("lets a short request pass between the pieces of a long one", () => {
    const { request: long, world } = ready()
    world.ask(long)
    world.ask(long)
    const short = world.enter()
    const piece = world.ask(short)
    world.ask(long)
    for (const running of world.inHost) world.done(running)
    expect(world.inHost).toContain(piece)
  })

  it("does not begin a piece of a request that left, and gives nobody the one that it works on", () => {
    const { request, world } = ready()
    const pieces = [1, 2, 3].map(() => world.ask(request))
    world.leave(request)
    const [first = 0, second] = world.inHost
    expect([first, second]).toEqual(pieces.slice(0, 2))
    world.done(first)
    world.ended(killed)
    expect(world.inHost).toEqual([])
    expect(pieces.map((piece) => world.answers.get(piece))).toEqual([undefined, undefined, undefined])
    expect(world.broken).toEqual([])
  })

  it("fails what its process worked on when it is killed, and does the rest with the next process", () => {
    const { request, world } = ready()
    const [first = 0, second = 0, third = 0] = [1, 2, 3].map(() => world.ask(request))
    world.ended(killed)
    expect(world.failures.get(first)).toEqual({ reason: "Unavailable", cause: killed.cause, retryAfterMillis: 1000 })
    expect(world.answers.get(second)).toBe("Unavailable")
    expect(world.failures.get(world.enter())).toMatchObject({ reason: "Unavailable" })
    world.pass(500)
    world.loaded()
    expect(world.inHost).toEqual([third])
  })

  it("sends the pieces of a process that ended by itself again, one at a time, before others", () => {
    const { request, world } = ready()
    const [first = 0, poison = 0, third = 0] = (["innocent", "poison", "innocent"] as const).map((of) =>
      world.ask(request, of)
    )
    world.work(poison)
    const next = () => {
      world.pass(1000)
      world.loaded()
      return world.inHost
    }
    expect(next()).toEqual([first])
    world.work(first)
    expect(world.inHost).toEqual([poison])
    world.work(poison)
    expect(next()).toEqual([third])
    world.work(third)
    expect([first, poison, third].map((piece) => world.answers.get(piece))).toEqual([
      "delivered",
      "Failed",
      "delivered"
    ])
    expect(world.state).toBe("ready")
  })

  it("sends a piece that was killed from outside never again, also if it was alone", () => {
    const { request, world } = ready()
    const pieces = [world.ask(request), world.ask(request)]
    world.ended(crashed)
    world.pass(1000)
    world.loaded()
    world.ended(killed)
    expect(world.answers.get(pieces[0] ?? 0)).toBe("Unavailable")
    world.pass(1000)
    world.loaded()
    expect(world.inHost).toEqual([pieces[1]])
  })

  it("counts each start after a failure, also if no request waited for it, and no other start", () => {
    const { request, world } = ready()
    world.ask(request)
    world.ended(killed)
    world.pass(1000)
    world.loaded()
    expect(world.restarts).toBe(1)
    world.done(world.ask(request))
    world.leave(request)
    world.ended(crashed)
    world.pass(1000)
    expect(world.state).toBe("unloaded")
    const next = world.enter()
    world.loaded()
    expect(world.restarts).toBe(2)
    world.done(world.ask(next))
    world.leave(next)
    world.pass(rules.idle)
    world.enter()
    expect(world.restarts).toBe(2)
  })

  it("waits twice as long before each further start, up to 30 seconds, until a piece is done", () => {
    const { request, world } = ready()
    const delay = () => {
      world.ask(request)
      const at = world.now
      world.ended(killed)
      world.pass(30_000)
      world.loaded()
      return (world.starts.at(-1) ?? 0) - at
    }
    expect(Array.from({ length: 8 }, delay)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    world.done(world.ask(request), "failure")
    expect(delay()).toBe(30_000)
    world.done(world.ask(request))
    expect(delay()).toBe(500)
  })

  it("refuses a model that never loaded and ends its process by itself", () => {
    const world = makeWorld()
    const [request, load] = [world.enter(), world.load()]
    const piece = world.ask(request)
    world.ended(crashed)
    expect(world.state).toBe("refused")
    const refused = { reason: "Failed", cause: crashed.cause }
    expect([piece, load, world.enter(), world.load()].map((each) => world.failures.get(each))).toEqual(
      Array.from({ length: 4 }, () => refused)
    )
  })

  it.each([
    ["that was loaded before", crashed, true],
    ["whose process was killed", killed, false]
  ])("refuses a model %s after it could not be loaded five times in a row", (_, ending, wasLoaded) => {
    const world = makeWorld()
    let request = world.enter()
    if (wasLoaded) {
      world.loaded()
      world.ended(killed)
      // Four times in a row are not enough.
      for (let attempt = 1; attempt <= 4; attempt++) {
        world.pass(30_000)
        world.ended(ending)
      }
      world.pass(30_000)
      world.loaded()
      world.leave(request)
      world.pass(rules.idle)
      request = world.enter()
    }
    const piece = world.ask(request)
    for (let attempt = 1; attempt <= 5; attempt++) {
      world.pass(30_000)
      expect(world.state).toBe("loading")
      world.ended(ending)
      expect(world.state).toBe(attempt < 5 ? "waiting" : "refused")
    }
    expect(world.answers.get(piece)).toBe("Failed")
  })

  it("never refuses a good model whose process is killed again and again, and lets nobody wait for long", () => {
    const { request, world } = ready()
    world.ended(killed)
    const [piece, load] = [world.ask(request), world.load()]
    const failToStart = () => {
      world.pass(30_000)
      world.ended(killed)
    }
    for (let attempt = 1; attempt <= 4; attempt++) failToStart()
    expect([piece, load].map((each) => world.answers.get(each))).toEqual(["Unavailable", "Unavailable"])
    for (let attempt = 1; attempt <= 20; attempt++) failToStart()
    expect(world.failures.get(world.enter())).toMatchObject({ reason: "Unavailable", retryAfterMillis: 30_000 })
    world.pass(30_000)
    world.loaded()
    const next = world.ask(request)
    expect(world.inHost).toEqual([next])
  })

  it("gives a new process work at once, if the one before was stopped while it worked for nobody", () => {
    const { request, world } = ready()
    world.ask(request)
    world.ask(request)
    world.leave(request)
    world.pass(rules.idle)
    expect(world.isRunning).toBe(false)
    const piece = world.ask(world.enter())
    world.loaded()
    expect(world.inHost).toEqual([piece])
  })

  it("ends a process that works too long on what nobody wants any more", () => {
    const world = makeWorld({ idle: Number.POSITIVE_INFINITY })
    const request = world.enter()
    world.loaded()
    world.ask(request)
    world.leave(request)
    world.pass(rules.pieceTimeout)
    expect(world.isRunning).toBe(false)
  })

  it.each([
    ["loads for too long", rules.loadTimeout, "It was not loaded after 60 seconds."],
    ["works on a piece for too long", rules.pieceTimeout, "A piece was not done after 30 seconds."]
  ])("ends a process that %s", (_, millis, cause) => {
    const world = makeWorld()
    const request = world.enter()
    const piece = world.ask(request)
    if (millis === rules.pieceTimeout) world.loaded()
    world.pass(millis)
    expect(world.isRunning).toBe(false)
    expect(world.state).toBe("waiting")
    expect(world.failures.get(world.enter())?.cause).toBe(cause)
    expect(world.answers.get(piece)).toBe(millis === rules.pieceTimeout ? "Unavailable" : undefined)
  })
})
