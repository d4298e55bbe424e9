/**
 * A thousand uploads of 20 MB, one after another, to a service in a process of its own: `pnpm verify uploads`, shorter
 * with `--uploads N` and `--megabytes M`. Five in eight are transcribed; one has a bad model, which comes after the file;
 * one is a WAV file whose header is broken; one is given up half-way. Its memory must stay flat, and neither a file nor a
 * descriptor may be left.
 */
import { readdirSync } from "node:fs"
import { Agent } from "node:http"
import { parseArgs } from "node:util"
import { noise } from "../../../test/support/recordings.js"
import { bar, median, ratio, table } from "../../../test/support/report.js"
import { send, startService, temporaryFolder, transcriptionForm } from "../../../test/support/serviceProcess.js"

const { values } = parseArgs({
  options: { uploads: { type: "string", default: "1000" }, megabytes: { type: "string", default: "20" } }
})
const uploads = Number(values.uploads)
const byteLength = Number(values.megabytes) * 1_000_000
if (!Number.isInteger(uploads) || uploads < 40 || !Number.isInteger(byteLength) || byteLength <= 0) {
  console.error("There are at least 40 uploads, and their megabytes are a number above 0.")
  process.exit(1)
}

const whole = noise(byteLength)
const kinds = {
  transcribed: { form: transcriptionForm(whole), status: 200 },
  "with a bad model": { form: transcriptionForm(whole, { model: "none" }), status: 400 },
  "of a broken file": { form: transcriptionForm(withoutChannels(whole)), status: 400 },
  "given up": { form: transcriptionForm(whole), status: undefined }
}
type Kind = keyof typeof kinds
const turns: ReadonlyArray<Kind> = [
  "transcribed",
  "with a bad model",
  "transcribed",
  "of a broken file",
  "transcribed",
  "given up",
  "transcribed",
  "transcribed"
]

const temporary = temporaryFolder("check-uploads-")
const files = () => readdirSync(temporary, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

const service = await startService({ cannedSeconds: 1, credits: 1e12 }, { temporary })
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** The status, or nothing where the client went away. */
const upload = async (kind: Kind): Promise<number | undefined> => {
  const { contentType, body } = kinds[kind].form
  const headers = { "x-api-key": service.apiKey ?? "", "content-type": contentType }
  const url = `${service.sttBaseUrl}/api/transcribe`
  if (kind !== "given up") return (await send(url, { agent, headers, body })).status
  const half = whole.subarray(0, byteLength / 2)
  const part = { body: [body[0] ?? "", half], announced: byteLength + 1000 }
  return send(url, { agent, headers, ...part }).then(
    ({ status }) => status,
    () => undefined
  )
}

const samples: Array<Awaited<ReturnType<typeof service.sample>>> = []
const counts = new Map<Kind, number>()
let unexpected = 0
const start = performance.now()
for (let index = 0; index < uploads; index++) {
  const kind = turns[index % turns.length] as Kind
  if ((await upload(kind)) !== kinds[kind].status) unexpected++
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  samples.push(await service.sample())
  if ((index + 1) % 100 === 0) console.error(`${index + 1} of ${uploads}`)
}
const seconds = (performance.now() - start) / 1000
agent.destroy()

// What a client that went away has left is cleared a moment later.
for (let patience = 100; patience > 0 && files().length > 0; patience--) {
  await new Promise((resolve) => setTimeout(resolve, 20))
}
const left = files().length
const { peak } = await service.sample()
await service.stop()
const leftInTheEnd = readdirSync(temporary).length

/** The median over a fifth of the uploads, counted from 1. */
const fifth = (number: number, of: (sample: (typeof samples)[number]) => number) =>
  median(samples.slice(Math.floor(((number - 1) * uploads) / 5), Math.floor((number * uploads) / 5)).map(of))
const fifths = [1, 2, 3, 4, 5]
const rss = (number: number) => fifth(number, (sample) => sample.rss)
const descriptors = (number: number) => fifth(number, (sample) => sample.descriptors)
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0)

console.log(
  `${uploads} uploads of ${values.megabytes} MB (${[...counts].map(([kind, count]) => `${count} ${kind}`).join(", ")}): ` +
    `${(uploads / seconds).toFixed(1)} uploads/s, ` +
    `${(bytesOf(counts) / 1e6 / seconds).toFixed(0)} MB/s; peak ${mebibytes(peak)} MiB\n`
)
table([
  ["median of a fifth", ...fifths.map((number) => `${number}.`)],
  ["memory, MiB", ...fifths.map((number) => mebibytes(rss(number)))],
  ["descriptors", ...fifths.map((number) => descriptors(number).toFixed(0))]
])

function withoutChannels(wav: Buffer): Buffer {
  const broken = Buffer.from(wav)
  broken.writeUInt16LE(0, 22)
  return broken
}

/** How many bytes were sent. */
function bytesOf(sent: ReadonlyMap<Kind, number>): number {
  return [...sent].reduce((sum, [kind, count]) => sum + count * (kind === "given up" ? byteLength / 2 : byteLength), 0)
}

const bars: ReadonlyArray<readonly [claim: string, met: boolean, figure: string]> = [
  ["every answer is the one that is due", unexpected === 0, `${unexpected} are not`],
  ["the last fifth takes at most 1.1x the memory of the second", rss(5) <= 1.1 * rss(2), ratio(rss(5), rss(2))],
  ["no descriptors accumulate", descriptors(5) <= descriptors(2) + 1, `${descriptors(2)}, then ${descriptors(5)}`],
  ["no file is left", left === 0 && leftInTheEnd === 0, `${left} after the last, ${leftInTheEnd} after the service`]
]
for (const [claim, met, figure] of bars) bar(claim, met, figure)
process.exitCode = bars.every(([, met]) => met) ? 0 : 1
