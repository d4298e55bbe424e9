/** Two processes that record into one folder, one of which is killed: each file is whole, and can be replayed. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { chances } from "effect-speech-test-support/random"
import { writeNoise } from "effect-speech-test-support/recordings"
import { title } from "effect-speech-test-support/report"
import { killAt } from "../support/kill.js"
import { barAtMost, barOfNone } from "../support/print.js"
import { until } from "../support/until.js"
import { filesOf } from "./folders.js"
import { planRequests, writeRecordings } from "./plan.js"
import { describeResponse, play } from "./play.js"
import { newFolder, startReal, startRecorder, startReplay } from "./services.js"
import { type Exchange, startTap } from "./tap.js"

interface KeptFile {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
}

/** The files beside an exchange: objects that name a file with its length and digest. */
const filesIn = (value: unknown): ReadonlyArray<KeptFile> => {
  if (typeof value !== "object" || value === null) return []
  const inside = Object.values(value).flatMap(filesIn)
  return "file" in value && "sha256" in value ? [value as KeptFile, ...inside] : inside
}

/** What is wrong with the files of a folder. The bytes of a file are at its end: before them may be the header of a WAV file. */
const problemsIn = (folder: string): ReadonlyArray<string> =>
  filesOf(folder)
    .filter((path) => path.endsWith(".json"))
    .flatMap((path) => {
      try {
        return filesIn(JSON.parse(readFileSync(path, "utf8"))).flatMap(({ bytes, file, sha256 }) => {
          const whole = readFileSync(join(folder, file))
          const padding = file.endsWith(".wav") ? bytes % 2 : 0
          const kept = whole.subarray(whole.length - padding - bytes, whole.length - padding)
          const isRight = [kept, whole].some((each) => createHash("sha256").update(each).digest("hex") === sha256)
          return isRight ? [] : [`${path}: ${file} has other bytes`]
        })
      } catch (error) {
        return [`${path}: ${error}`]
      }
    })

const partsIn = (folder: string) => filesOf(folder).filter((path) => path.endsWith(".part"))

/** The responses that are not one of those to the same request. */
const strangersIn = (replayed: ReadonlyArray<Exchange>, recorded: ReadonlyArray<Exchange>): ReadonlyArray<string> => {
  const keyOf = (exchange: Exchange) => `${exchange.identity}: ${describeResponse(exchange)}`
  const known = new Set(recorded.map(keyOf))
  return replayed.map(keyOf).filter((key) => !known.has(key))
}

export const checkWriters = async (options: {
  readonly count: number
  readonly kills: number
  readonly seed: number
}) => {
  const { count, kills, seed } = options
  title("Two processes that write one folder")
  const chance = chances(seed)
  const recordings = newFolder("recordings")
  // A larger one is on disk while it arrives.
  const large = join(newFolder("large"), "large.wav")
  writeNoise(large, 3_000_000, 96_000)
  const requests = planRequests(count, [...writeRecordings(recordings), large, large, large], seed)
  const folder = newFolder("exchanges")
  const real = await startReal({ recordings })
  // Behind the recorders: a killed one may have kept what its client never got.
  const [stt, tts] = [await startTap(real.sttBaseUrl), await startTap(real.ttsBaseUrl)]
  const tapped = { ...real, sttBaseUrl: stt.url, ttsBaseUrl: tts.url }
  const problems: Array<string> = []
  let mostParts = 0
  for (let round = 1; round <= kills; round++) {
    console.error(`killed ${round} of ${kills} times`)
    const [lasting, killed] = [await startRecorder(folder, tapped), await startRecorder(folder, tapped)]
    const ends = play(lasting, requests, 8)
    const seen = () => stt.exchanges.length + tts.exchanges.length
    const moment = seen() + chance() * 2 * count
    await killAt(
      killed,
      play(killed, requests, 8),
      until(() => seen() >= moment, { seconds: 300 })
    )
    problems.push(...problemsIn(folder))
    await ends
    problems.push(...problemsIn(folder))
    await lasting.stop()
    mostParts = Math.max(mostParts, partsIn(folder).length)
  }
  barOfNone(`after ${kills} kills each exchange and each audio file is whole`, problems, `${problems.length} are not`)
  const replay = await startReplay(folder)
  const { exchanges } = await play(replay, requests, 8)
  await replay.stop()
  const strangers = [
    ...strangersIn(exchanges.transcribe, stt.exchanges),
    ...strangersIn(exchanges.synthesize, tts.exchanges)
  ]
  barOfNone("each replayed response is one that the service gave to the same request", strangers, `of ${count}`)
  const last = await startRecorder(folder, tapped)
  await last.stop()
  barAtMost(
    "the next recording removes what the killed ones have left",
    partsIn(folder).length,
    0,
    (left) => `${left} of ${mostParts}`
  )
  for (const { stop } of [stt, tts, real]) await stop()
}
