// Plain JavaScript: no compiler adds to the time that is measured.
/** How long the service takes to start: `node startup.js`. Prints milliseconds as JSON. */
const began = performance.now()
const { LocalService } = await import("@effect-speech/local-service/LocalService")
const imported = performance.now() - began

const Effect = await import("effect/Effect")
const Layer = await import("effect/Layer")

/** @type {Array<number>} */
const builds = []
for (let build = 0; build < 20; build++) {
  const start = performance.now()
  const ready = Effect.sync(() => builds.push(performance.now() - start))
  await Effect.runPromise(Effect.scoped(Effect.zipRight(Layer.build(LocalService.layer()), ready)))
}

/** @typedef {{ readonly imported: number, readonly builds: ReadonlyArray<number> }} Startup */
process.stdout.write(JSON.stringify({ imported, builds }), () => process.exit())
