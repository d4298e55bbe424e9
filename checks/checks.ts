/** The checks that `pnpm verify NAME` runs. `README.md` says what each shows, its options and how long it takes. */

export interface Check {
  /** The script, below `checks/`. */
  readonly script: string
  /** The packages that the script imports: as `pnpm build` makes them, from their sources, or none. */
  readonly packages: "built" | "sources" | "none"
  /** A folder below `checks/` whose own dependencies are installed first. */
  readonly peers?: string
}

/** In the order in which `pnpm verify` lists them. */
export const checks = {
  conformance: { script: "conformance/check.ts", packages: "built" },
  network: { script: "network/check.ts", packages: "sources" },
  fuzz: { script: "fuzz/check.ts", packages: "sources" },
  memory: { script: "load/memory/check.ts", packages: "built" },
  soak: { script: "load/soak/check.ts", packages: "built" },
  uploads: { script: "load/uploads/check.ts", packages: "built" },
  kill: { script: "load/kill/check.ts", packages: "built" },
  "long-speech": { script: "long-speech/check.ts", packages: "built" },
  "long-transcription": { script: "long-transcription/check.ts", packages: "built", peers: "long-transcription/peers" },
  archive: { script: "archive/check.ts", packages: "built" },
  console: { script: "console/check.ts", packages: "sources" },
  mutation: { script: "mutation/check.ts", packages: "none", peers: "mutation/stryker" },
  coverage: { script: "coverage/check.ts", packages: "built" },
  runtimes: { script: "runtimes/check.ts", packages: "built" },
  packages: { script: "packages/check.ts", packages: "built" },
  timeouts: { script: "timeouts/check.ts", packages: "sources" },
  recognition: { script: "recognition/check.ts", packages: "sources" },
  cuts: { script: "cuts/check.ts", packages: "sources" },
  corpus: { script: "corpus/check.ts", packages: "sources" },
  sentences: { script: "sentences/check.ts", packages: "sources", peers: "sentences/peers" },
  "large-files": { script: "large-files/check.ts", packages: "sources" },
  bench: { script: "bench/bench.ts", packages: "built", peers: "bench/peers" },
  "bench-codec": { script: "bench/codec/bench.ts", packages: "built", peers: "bench/codec/peers" },
  "bench-service": { script: "bench/service/bench.ts", packages: "built" }
} satisfies Readonly<Record<string, Check>>

export type CheckName = keyof typeof checks

/** Names that run several checks, one after another, with the same options. */
export const groups: Readonly<Record<string, ReadonlyArray<CheckName>>> = {
  load: ["memory", "soak", "uploads", "kill"]
}
