import { defineConfig } from "vitest/config"

export default defineConfig({
  // The packages are tested from their sources, as the custom condition of their exports gives them.
  ssr: { resolve: { conditions: ["@effect-speech/source"] } },
  test: {
    include: ["examples/**/*.test.ts", "packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 20_000,
    // Each file has a process of its own: in a shared one, tests have been seen to get the clock of another file.
    poolOptions: { forks: { maxForks: 2 } }
  }
})
