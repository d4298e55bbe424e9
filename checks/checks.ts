/** The checks that `pnpm verify NAME` runs. `README.md` says what each shows and how long it takes. */

export interface Check {
  /** The script, below `checks/`. */
  readonly script: string
  /** The packages that the script imports: as `pnpm build` makes them, or from their sources. */
  readonly packages: "built" | "sources"
  /** A folder below `checks/` whose own dependencies are installed first. */
  readonly peers?: string
}

const built = (script: string, peers?: string): Check => ({ script, packages: "built", ...(peers && { peers }) })
const sources = (script: string): Check => ({ script, packages: "sources" })

/** In the order in which `pnpm verify` lists them. */
export const checks = {
  conformance: built("conformance/check.ts"),
  network: sources("network/check.ts"),
  fuzz: sources("fuzz/check.ts"),
  memory: built("load/memory.ts"),
  soak: built("load/soak.ts"),
  uploads: built("load/uploads.ts"),
  kill: built("load/kill.ts"),
  replay: built("replay/check.ts"),
  engines: built("engines/check.ts"),
  "long-speech": built("long-speech/check.ts"),
  "long-transcription": built("long-transcription/check.ts"),
  archive: built("archive/check.ts"),
  console: sources("console/check.ts"),
  promise: built("promise/check.ts"),
  documents: built("documents/check.ts"),
  coverage: built("coverage/check.ts"),
  effect4: sources("effect4/check.ts"),
  runtimes: built("runtimes/check.ts"),
  packages: built("packages/check.ts"),
  release: built("release/check.ts"),
  installs: built("installs/check.ts"),
  timeouts: sources("timeouts/check.ts"),
  recognition: sources("recognition/check.ts"),
  cuts: sources("cuts/check.ts"),
  corpus: sources("corpus/check.ts"),
  sentences: sources("sentences/check.ts"),
  "large-files": sources("large-files/check.ts"),
  bench: built("bench/bench.ts", "bench/peers"),
  "bench-codec": built("bench/codec/bench.ts", "bench/codec/peers"),
  "bench-service": built("bench/service/bench.ts")
} satisfies Readonly<Record<string, Check>>

type CheckName = keyof typeof checks

/** Names that run several checks, one after another, with the same options. */
export const groups: Readonly<Record<string, ReadonlyArray<CheckName>>> = {
  load: ["memory", "soak", "uploads", "kill"]
}
