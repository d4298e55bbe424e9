import { mergeConfig } from "vitest/config"
import base from "../../vitest.config.js"

/** The usual tests, with coverage of the packages in Istanbul format. */
export default mergeConfig(base, {
  test: {
    setupFiles: ["checks/coverage/processes.ts"],
    testTimeout: 60_000,
    coverage: {
      enabled: true,
      provider: "v8",
      // Divides code by its syntax, not by lines.
      include: ["packages/*/src/**"],
      // The process of a model never writes its counts: it is killed.
      exclude: ["**/*.d.ts", "**/engine-sherpa/src/internal/host/{modelHost,parentWatch,speechThread}.js"],
      reporter: ["json"],
      reportsDirectory: `${process.env.COVERAGE_FOLDER}/tests`,
      reportOnFailure: true,
      experimentalAstAwareRemapping: true
    }
  }
})
