/** The memory of a program that reads speech more slowly than it arrives. */
import { runScript } from "effect-speech-test-support/processes"
import { megabytes, title } from "effect-speech-test-support/report"
import { barAtMost, tableOf } from "../support/print.js"
import { startSlowService } from "./slowService.js"

/** Memory that is not returned yet, and buffers of the connection. */
const limit = 96e6

export const checkMemory = async ({ quick }: { readonly quick: boolean }) => {
  title("Memory of a speech that is read slowly")
  const sizes = quick ? [32] : [32, 256]
  const rows: Array<{ readonly use: string; readonly bytes: number; readonly grown: number }> = []
  for (const use of ["speak", "speakLong"]) {
    for (const size of sizes) {
      const audioBytes = use === "speak" ? size * 1_000_000 : 1_000_000
      const service = await startSlowService({ audioBytes, pauseMillis: 0, waitMillis: 0 })
      const figures = await runScript<{ bytes: number; grown: number }>(new URL("memory.js", import.meta.url), [
        service.url,
        use,
        size
      ])
      rows.push({ use, ...figures })
      await service.close()
    }
  }
  tableOf(rows, {
    use: ({ use }) => use,
    audio: ({ bytes }) => megabytes(bytes),
    "grown by": ({ grown }) => megabytes(grown)
  })
  barAtMost("it does not grow with the audio", Math.max(...rows.map(({ grown }) => grown)), limit, megabytes)
}
