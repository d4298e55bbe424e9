import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** How the paths of the tests begin, in the order in which they run. */
const include: ReadonlyArray<string> = JSON.parse(process.env.MUTATION_TESTS ?? "[]")

class InOrder extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification) => include.findIndex((folder) => moduleId.includes(`/${folder}`))
    return files.toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  ssr: { resolve: { conditions: ["@effect-speech/source"] } },
  test: {
    include: include.map((start) => `${start}*.test.ts`),
    // Too slow to be run for each change.
    // A test that hangs fails before Stryker replaces its whole process.
    testTimeout: 30_000,
    sequence: { sequencer: InOrder }
  }
})
