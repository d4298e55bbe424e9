/** Long texts and long recordings: what a piece costs beside its call, and how fast many pieces are. */
import { startScript } from "effect-speech-test-support/processes"
import { measuredBar, median, ratio, spread, table, title, whole } from "effect-speech-test-support/report"
import { interleave, resultsOf } from "../../support/interleave.js"
import { measureInProcess, type Setting } from "../harness.js"
import type { Cost, OperationName, Way } from "./measure.js"

const ways: Readonly<Record<Way, string>> = {
  calls: "the same calls alone",
  memory: "pieces, `PieceStore.layerMemory`",
  folder: "pieces, `PieceStore.layerFolder`",
  kept: "the same again: all are kept"
}

/** 64 calls of 100 ms at once. */
const idealRate = 640

export const run = async (setting: Setting) => {
  const { ready: url, stop } = await startScript<string>(new URL("server.js", import.meta.url))
  await compare("speech", url, setting)
  await compare("transcription", url, setting)
  await stop()
}

const compare = async (operation: OperationName, url: string, { quick }: Setting) => {
  const names = Object.keys(ways) as ReadonlyArray<Way>
  const [pieces, rounds] = quick ? [300, 1] : [2000, 5]
  const all = await interleave(
    names.map((name) => ({ name, run: () => measureInProcess<Cost>("long", operation, name, url, pieces) })),
    { rounds }
  )
  const figures = (name: Way, figure: keyof Cost) => resultsOf(all, name).map((cost) => cost[figure])
  const cpu = (name: Way) => median(figures(name, "cpuMicros"))
  const share = (name: Way) => median(figures(name, "perSecond")) / idealRate
  title(operation === "speech" ? "Pieces of a long text" : "Pieces of a long recording")
  console.log(
    `About ${pieces} pieces, 64 at once, each a call of 100 ms: at best ${idealRate} pieces/s. ` +
      (operation === "speech"
        ? "A piece has about 21 code points and a second of audio. "
        : "A piece has 3 s of 8 kHz. ") +
      `Medians of ${rounds} interleaved rounds, each a new process, after ${Math.min(pieces, 1000)} pieces to warm up.\n`
  )
  table([
    ["", "CPU of a piece, µs", "of all rounds", "CPU / calls", "pieces/s", "of the best rate"],
    ...names.map((name) => [
      ways[name],
      whole(cpu(name)),
      spread(figures(name, "cpuMicros"), whole),
      ratio(cpu(name), cpu("calls")),
      whole(median(figures(name, "perSecond"))),
      name === "kept" ? "" : share(name).toFixed(2)
    ])
  ])
  for (const name of ["memory", "folder"] as const) {
    const claim = `${operation}, ${ways[name]}: at least 0.85 of the best rate`
    measuredBar(claim, share(name) >= 0.85, share(name).toFixed(2))
  }
}
