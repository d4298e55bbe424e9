import { mergeConfig } from "vitest/config"
import base from "../../vitest.config.js"

/** The tests as ever, and what they run of the packages is counted, in the folder that the command names. */
export default mergeConfig(base, {
  test: {
    setupFiles: ["checks/coverage/processes.ts"],
    testTimeout: 60_000,
    coverage: {
      enabled: true,
      provider: "v8",
      // By the syntax: else each line would be a statement, and comments too.
      include: ["packages/*/src/**"],
      exclude: ["**/*.d.ts"],
      reporter: ["json"],
      reportsDirectory: `${process.env.COVERAGE_FOLDER}/tests`,
      reportOnFailure: true,
      experimentalAstAwareRemapping: true
    }
  }
})
