import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The tests that can notice a change of the package, those first that are likely to. */
const include: ReadonlyArray<string> = JSON.parse(process.env.MUTANTS_TESTS ?? "[]")

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
    exclude: ["**/outage.test.ts"],
    // What waits for ever is noticed here, before Stryker gives its process up and has to start another.
    testTimeout: 30_000,
    sequence: { sequencer: InOrder }
  }
})
