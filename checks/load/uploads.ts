/**
 * A thousand uploads of 20 MB, one after another: `pnpm verify uploads`, shorter with `--uploads N` and `--megabytes N`, or
 * with `--quick`.
 *
 * Of eight uploads five are valid, one has an invalid model after the file, one is a WAV file with a broken header, and one
 * breaks off half-way. The memory of the local service must stay flat, and no file or descriptor may be left.
 */
import { readdirSync } from "node:fs"
import { Agent } from "node:http"
import { readOptions, refuseOptions } from "effect-speech-test-support/options"
import { send, transcriptionForm } from "effect-speech-test-support/plainHttp"
import { temporaryFolder } from "effect-speech-test-support/processes"
import { noise } from "effect-speech-test-support/recordings"
import { bar, countBy, exitStatus, megabytes, sum, table, whole } from "effect-speech-test-support/report"
import { type Sample, startService } from "effect-speech-test-support/serviceProcess"
import { barOfFlat, fifths, medianOfPart, temporaryFiles } from "../support/memory.js"
import { barAtMost } from "../support/print.js"
import { until } from "../support/until.js"

const values = readOptions({
  uploads: { type: "string" },
  megabytes: { type: "string" },
  quick: { type: "boolean", default: false }
})
const uploads = Number(values.uploads ?? (values.quick ? 40 : 1000))
const byteLength = Number(values.megabytes ?? (values.quick ? 2 : 20)) * 1_000_000
if (!Number.isInteger(uploads) || uploads < 40 || !Number.isInteger(byteLength) || byteLength <= 0) {
  refuseOptions("--uploads takes an integer of at least 40, --megabytes a number above 0.")
}

const wav = noise(byteLength)
const withoutChannels = Buffer.from(wav)
withoutChannels.writeUInt16LE(0, 22)
const kinds = {
  valid: { form: transcriptionForm(wav), status: 200 },
  "invalid model": { form: transcriptionForm(wav, { model: "none" }), status: 400 },
  "broken file": { form: transcriptionForm(withoutChannels), status: 400 },
  "broken off": { form: transcriptionForm(wav), status: undefined }
}
type Kind = keyof typeof kinds
const order: ReadonlyArray<Kind> = [
  ...["valid", "invalid model", "valid", "broken file"],
  ...["valid", "broken off", "valid", "valid"]
] as ReadonlyArray<Kind>

const temporary = temporaryFolder("check-uploads-")
const service = await startService({ cannedSeconds: 1, credits: 1e12 }, { temporary })
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Returns the status, or nothing if the client broke off. */
const upload = (kind: Kind): Promise<number | undefined> => {
  const { contentType, body } = kinds[kind].form
  const part =
    kind === "broken off"
      ? { body: [body[0] ?? "", wav.subarray(0, byteLength / 2)], announced: byteLength + 1000 }
      : { body }
  const headers = { "x-api-key": service.apiKey ?? "", "content-type": contentType }
  return send(`${service.sttBaseUrl}/api/transcribe`, { agent, headers, ...part }).then(
    ({ status }) => status,
    (error) => {
      if (kind !== "broken off") throw error
      return undefined
    }
  )
}

const samples: Array<Sample> = []
const sent = Array.from({ length: uploads }, (_, index) => order[index % order.length] as Kind)
let unexpected = 0
const start = performance.now()
for (const [index, kind] of sent.entries()) {
  if ((await upload(kind)) !== kinds[kind].status) unexpected++
  samples.push(await service.sample())
  if ((index + 1) % 100 === 0) console.error(`${index + 1} of ${uploads}`)
}
const seconds = (performance.now() - start) / 1000
agent.destroy()

await until(() => temporaryFiles(temporary) === 0, { seconds: 2 })
const left = temporaryFiles(temporary)
const { peak } = await service.sample()
await service.stop()
const leftAfterService = readdirSync(temporary).length

const medianOf = (fifth: number, figure: "rss" | "descriptors") =>
  medianOfPart(samples, fifth, 5, (sample) => sample[figure]) ?? 0
const bytes = sum(sent.map((kind) => (kind === "broken off" ? byteLength / 2 : byteLength)))
const counts = [...countBy(sent, (kind) => kind)].map(([kind, count]) => `${count} ${kind}`)

console.log(
  `${uploads} uploads of ${byteLength / 1e6} MB (${counts.join(", ")}): ${(uploads / seconds).toFixed(1)} uploads/s, ` +
    `${whole(bytes / 1e6 / seconds)} MB/s; peak ${megabytes(peak)}\n`
)
table([
  ["median of a fifth", ...fifths.map((fifth) => `${fifth}.`)],
  ["memory", ...fifths.map((fifth) => megabytes(medianOf(fifth, "rss")))],
  ["descriptors", ...fifths.map((fifth) => whole(medianOf(fifth, "descriptors")))]
])
barAtMost("every response is the expected one", unexpected, 0, (count) => `${count} are not`)
const claim = "the last fifth takes at most 1.1x the memory of the second"
barOfFlat(claim, 1.1, medianOf(2, "rss"), medianOf(5, "rss"))
const [before, after] = [medianOf(2, "descriptors"), medianOf(5, "descriptors")]
bar("no descriptors accumulate", after <= before + 1, `${before}, then ${after}`)
const files = `${left} after the last upload, ${leftAfterService} after the service`
bar("no file is left", left === 0 && leftAfterService === 0, files)
process.exitCode = exitStatus()
