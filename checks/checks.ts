/** The checks that `pnpm verify NAME` runs, in the order in which it lists them. */

export interface Check {
  /** What the check shows. */
  readonly shows: string
  /** How long it takes in its full form. */
  readonly takes: string
  /** Its options, as the list and the README show them. */
  readonly options?: string
  /** The script, below `checks/`. */
  readonly script: string
  /** The packages that the script imports: as `pnpm build` makes them, from their sources, or none. */
  readonly packages: "built" | "sources" | "none"
  /** A folder below `checks/` whose own dependencies are installed first. */
  readonly peers?: string
}

export const checks = {
  conformance: {
    shows: "The local service, or another one, follows the contract in each of its rules.",
    takes: "10 s",
    options: "--environment, --model NAME",
    script: "conformance/check.ts",
    packages: "built"
  },
  network: {
    shows:
      "Each call over a faulty network ends in a value or an error within its deadline. Nothing is left behind, no damaged audio is accepted, and the reported billing is right.",
    takes: "6 min",
    options: "--schedules N, --layers NAMES, --seed N",
    script: "network/check.ts",
    packages: "sources"
  },
  fuzz: {
    shows:
      "Random and damaged requests, responses, files and forms are handled correctly or rejected with a named error.",
    takes: "6 min",
    options: "--only WORDS, --seconds N, --seed N",
    script: "fuzz/check.ts",
    packages: "sources"
  },
  memory: {
    shows: "Memory does not grow with a recording, with speech, or with calls, however they end.",
    takes: "8 min",
    options: "--only PART, --quick",
    script: "load/memory/check.ts",
    packages: "built"
  },
  soak: {
    shows: "Under load and faults nothing grows, nothing is left behind, and every error has a cause.",
    takes: "10 min",
    options: "--minutes N, --concurrency N, --seed N, --quick",
    script: "load/soak/check.ts",
    packages: "built"
  },
  uploads: {
    shows: "The memory of the local service stays flat over a thousand uploads of 20 MB, valid and invalid.",
    takes: "8 min",
    options: "--uploads N, --megabytes N, --quick",
    script: "load/uploads/check.ts",
    packages: "built"
  },
  kill: {
    shows: "The local service, killed 50 times at work, still knows everything that it reported to its clients.",
    takes: "2 min",
    options: "--rounds N, --seed N, --quick",
    script: "load/kill/check.ts",
    packages: "built"
  },
  mutation: {
    shows: "Which changes to the clients and the transport no test notices.",
    takes: "hours",
    options: "--only NAME, --minutes N",
    script: "mutation/check.ts",
    packages: "none",
    peers: "mutation/stryker"
  },
  coverage: {
    shows: "Which statements and branches of the packages no test runs.",
    takes: "5 min",
    options: "FILTER…",
    script: "coverage/check.ts",
    packages: "built"
  },
  runtimes: {
    shows: "The clients work on Node 20 to 26, Bun and Deno. Needs the npm registry.",
    takes: "10 min",
    options: "--only NAMES",
    script: "runtimes/check.ts",
    packages: "built"
  },
  packages: {
    shows: "The tarballs install and work in empty projects, with npm and pnpm. Needs the npm registry.",
    takes: "5 min",
    script: "packages/check.ts",
    packages: "built"
  },
  timeouts: {
    shows: "The recommended client layers wait for a service that needs 310 seconds to respond.",
    takes: "6 min",
    script: "timeouts/check.ts",
    packages: "sources"
  },
  recognition: {
    shows: "The local service recognises its own recordings after each encoding, and no others. Needs ffmpeg.",
    takes: "5 min",
    script: "recognition/check.ts",
    packages: "sources"
  },
  corpus: {
    shows:
      "WAV files from other programs decode as other readers decode them. Needs a folder of files, ffmpeg and sox.",
    takes: "5 min",
    options: "FOLDER",
    script: "corpus/check.ts",
    packages: "sources"
  },
  "large-files": {
    shows: "WAV files of more than 4 GiB are written, read and repaired. Needs 9 GB of disk.",
    takes: "2 min",
    script: "large-files/check.ts",
    packages: "sources"
  },
  bench: {
    shows:
      "What the clients cost, and what a caller gets after a fault, compared with their foundations and with other SDKs.",
    takes: "15 min",
    options: "--only PART, --quick",
    script: "bench/bench.ts",
    packages: "built",
    peers: "bench/peers"
  },
  "bench-codec": {
    shows: "Speed, memory and quality of the audio codec, compared with other libraries, sox and ffmpeg.",
    takes: "5 min",
    options: "--only N",
    script: "bench/codec/bench.ts",
    packages: "built",
    peers: "bench/codec/peers"
  },
  "bench-service": {
    shows: "Speed of the local service compared with a bare HTTP server, speed of its voice, and its startup time.",
    takes: "5 min",
    options: "--only PART, --quick",
    script: "bench/service/bench.ts",
    packages: "built"
  }
} satisfies Readonly<Record<string, Check>>

export type CheckName = keyof typeof checks

/** Names that run several checks, one after another, with the same options. */
export const groups: Readonly<Record<string, ReadonlyArray<CheckName>>> = {
  load: ["memory", "soak", "uploads", "kill"]
}
