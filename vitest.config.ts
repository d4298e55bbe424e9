import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest, longest first. */
const slow = [
  "test/console/console.test.ts",
  "packages/cli/test/bin.test.ts",
  "test/examples.test.ts",
  "packages/archive/test/machineHistories.test.ts",
  "packages/engine-sherpa/test/processes.test.ts",
  "packages/cli/test/engines.test.ts",
  "packages/archive/test/Archive.test.ts",
  "packages/archive/test/machines.test.ts",
  "test/faults/uploads.test.ts",
  "test/faults/audio.test.ts",
  "test/checks/conformance.test.ts",
  "test/checks/fuzz.test.ts"
]

/** Starts the slow files first, so that no process waits for one of them at the end. By itself vitest begins with the largest file. */
class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const place = ({ moduleId }: TestSpecification) => {
      const index = slow.findIndex((file) => moduleId.endsWith(`/${file}`))
      return index < 0 ? slow.length : index
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  // The packages are tested from their sources, as the custom condition of their exports gives them.
  ssr: { resolve: { conditions: ["@effect-speech/source"] } },
  test: {
    include: [
      "examples/**/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "test/**/*.test.ts",
      "checks/packages/programs/*.test.ts"
    ],
    testTimeout: 20_000,
    // The proxy of a developer's own environment would see requests to hosts that do not exist.
    env: { HTTP_PROXY: "", HTTPS_PROXY: "", http_proxy: "", https_proxy: "" },
    // A file costs a second of imports, which files that share a process pay once.
    isolate: false,
    setupFiles: ["test/support/restoreMethods.ts"],
    sequence: { sequencer: SlowFirst },
    // Many tests wait for processes: on two cores, three files at once take a sixth less time than two. With fewer at
    // least than at most, vitest ends a process that has not yet said that its file is done.
    poolOptions: { forks: { minForks: 3, maxForks: 3 } }
  }
})
