import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Starts the tests in a browser first. They take longest, but vitest begins with the largest file if it has no times yet. */
class BrowserFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const isFirst = ({ moduleId }: TestSpecification) => moduleId.endsWith("/test/console/console.test.ts")
    const sorted = await super.sort(files)
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
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
    sequence: { sequencer: BrowserFirst },
    // Many tests wait for processes: on two cores, three files at once take a sixth less time than two. With fewer at
    // least than at most, vitest ends a process that has not yet said that its file is done.
    poolOptions: { forks: { minForks: 3, maxForks: 3 } }
  }
})
