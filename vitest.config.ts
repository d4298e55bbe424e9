import { defineConfig } from "vitest/config"

export default defineConfig({
  // The packages are tested from their sources, as the custom condition of their exports gives them.
  ssr: { resolve: { conditions: ["@effect-speech/source"] } },
  test: {
    include: ["examples/**/*.test.ts", "packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 20_000,
    // The proxy of a developer's own environment would see requests to hosts that do not exist.
    env: { HTTP_PROXY: "", HTTPS_PROXY: "", http_proxy: "", https_proxy: "" },
    // A file costs a second of imports, which files that share a process pay once.
    isolate: false,
    setupFiles: ["test/support/restoreMethods.ts"],
    poolOptions: { forks: { maxForks: 2 } }
  }
})
