// A decoder blocks its thread, and a damaged file may block it for ever, so each recording has a thread that can be
// ended. The main thread has probed the file; this one only decodes. This file is JavaScript because plain Node starts the worker,
// both from the sources and from the built package.
import { fstatSync, openSync, readSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import decode from "audio-decode"

const port = parentPort
if (port === null) throw new Error("decodeWorker runs as a worker thread alone")

/** @type {import("./decoder.js").DecodeTask} */
const { announcedSamples, boxes, container, maximumSamples, path, start: begin, end: finish } = workerData

const fd = openSync(path, "r")
const { size } = fstatSync(fd)

/** @param {number} position @param {number} length */
const readAt = (position, length) => {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - position)))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, position))
}

/** In bytes. It bounds the output of one step: a kilobyte of FLAC can be five million samples. */
const chunkLength = 1024

/**
 * A reply follows after so many samples or chunks, because the main thread ends a worker that is silent for long. With smaller
 * blocks, two busy threads would spend more time in waking each other than in decoding.
 */
const enough = { samples: 131_072, chunks: 256 }

/** In bytes: the tables of ten hours of AAC are 8 MB. */
const largestTables = 16 * 1024 * 1024

/** @param {number} start @param {number} end */
function* chunks(start, end) {
  for (let position = start; position < end; ) {
    const bytes = readAt(position, Math.min(chunkLength, end - position))
    if (bytes.length === 0) return
    const length = position + bytes.length < end ? cut(bytes) : bytes.length
    yield bytes.subarray(0, length)
    position += length
  }
}

/**
 * The length at which to cut a chunk. The decoder of FLAC (1.3.5) loses a frame whose header, which begins with 255, is
 * divided. Frames of silence are shorter than the longest header; cut between two of them.
 *
 * @param {Buffer} bytes
 */
const cut = (bytes) => {
  if (container !== "flac") return bytes.length
  for (let end = bytes.length; end > 16; end--) {
    if (!bytes.subarray(end - 16, end).includes(255)) return end
  }
  const last = Math.max(
    bytes.lastIndexOf("\xff\xf8", undefined, "latin1"),
    bytes.lastIndexOf("\xff\xf9", undefined, "latin1")
  )
  return last > 0 ? last : bytes.length
}

/**
 * Moves the tables of samples to the front, because the decoder would hold the whole recording until it reads them. The
 * offsets in the tables change accordingly.
 */
function* tablesFirst() {
  const tables = boxes.find(({ type }) => type === "moov")
  if (tables === undefined) throw new Error("it has no tables of samples")
  const fragments = boxes.filter(({ type }) => type === "moof")
  const data = boxes.find(({ type }) => type === "mdat")?.startByte ?? size
  const before = Math.min(data, tables.startByte)
  const length = tables.endByte - tables.startByte
  if (before + length > largestTables) throw new Error("its tables of samples are too large")
  const moov = readAt(tables.startByte, length)
  checkCounts(moov)
  // Each fragment has its own tables before its samples.
  if (fragments.length > 0) {
    checkFragments(fragments)
    yield* chunks(begin, size)
    return
  }
  moveChunks(moov, 8, moov.length, { between: before - begin, and: tables.startByte - begin, by: length })
  yield Buffer.concat([readAt(begin, before - begin), moov])
  yield* chunks(before, tables.startByte)
  yield* chunks(tables.endByte, size)
}

/** The bytes of an entry, for each table that states its number of entries. */
const entryLengths = { stco: 4, co64: 8, stsc: 12, stts: 8, elst: 12 }

/**
 * Checks the number of entries in each table. The decoder allocates as many as a table states. If they exceed the memory of
 * the thread, V8 ends the process and not the thread. Tables are searched by name, because the decoder finds them at any
 * depth.
 *
 * @param {Buffer} moov
 */
const checkCounts = (moov) => {
  const broken = () => new Error("its tables are broken")
  for (const [type, length] of Object.entries(entryLengths)) {
    for (let at = moov.indexOf(type); at >= 0; at = moov.indexOf(type, at + 4)) {
      if (at + 12 > moov.length || at + 12 + moov.readUInt32BE(at + 8) * length > moov.length) throw broken()
    }
  }
  for (let at = moov.indexOf("stsz"); at >= 0; at = moov.indexOf("stsz", at + 4)) {
    if (at + 16 > moov.length) throw broken()
    const each = moov.readUInt32BE(at + 8)
    const count = moov.readUInt32BE(at + 12)
    if (each === 0 ? at + 16 + count * 4 > moov.length : count * each > size || count > largestTables / 4) {
      throw broken()
    }
  }
}

/**
 * Checks the tables of fragments (ISO/IEC 14496-12, 8.8.8) in the same way. An entry may have no bytes.
 *
 * @param {ReadonlyArray<import("@effect-speech/audio-codec/Container").Box>} fragments
 */
const checkFragments = (fragments) => {
  let samples = 0
  for (const { endByte: end, startByte: start } of fragments) {
    if (end - start > largestTables / 16) throw new Error("its tables of samples are too large")
    const moof = readAt(start, end - start)
    for (let at = moof.indexOf("trun"); at >= 0; at = moof.indexOf("trun", at + 4)) {
      if (at + 12 > moof.length) throw new Error("its tables are broken")
      const flags = moof.readUInt32BE(at + 4)
      const count = moof.readUInt32BE(at + 8)
      const length = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length
      samples += count
      if (at + 12 + count * length > moof.length || samples > largestTables / 4) {
        throw new Error("its tables are broken")
      }
    }
  }
}

/**
 * @param {Buffer} moov @param {number} start @param {number} end
 * @param {{ between: number, and: number, by: number }} move
 */
const moveChunks = (moov, start, end, move) => {
  /** @param {number} place */
  const moved = (place) => (place >= move.between && place < move.and ? place + move.by : place)
  for (let at = start; at + 16 <= end; ) {
    const length = moov.readUInt32BE(at)
    const type = moov.toString("latin1", at + 4, at + 8)
    if (length < 8 || at + length > end) return
    if (["trak", "mdia", "minf", "stbl"].includes(type)) moveChunks(moov, at + 8, at + length, move)
    if (type === "stco") {
      for (let entry = at + 16; entry + 4 <= at + length; entry += 4) {
        moov.writeUInt32BE(moved(moov.readUInt32BE(entry)) >>> 0, entry)
      }
    }
    if (type === "co64") {
      for (let entry = at + 16; entry + 8 <= at + length; entry += 8) {
        moov.writeBigUInt64BE(BigInt(moved(Number(moov.readBigUInt64BE(entry)))), entry)
      }
    }
    at += length
  }
}

/** The codec of the first stream that has one of audio. The first pages of all streams come first. */
const oggCodec = () => {
  const beginning = readAt(begin, 4096)
  return beginning.includes("OpusHead") ? "opus" : beginning.includes("\x7fFLAC") ? "flac" : "oga"
}

/** The beginning of the first header of a Vorbis stream (Vorbis I, 4.2.2), before its channels and its rate. */
const vorbisBegins = "\x01vorbis\0\0\0\0"
const vorbisHeader = vorbisBegins.length + 5

/** The decoder of Vorbis gives all recordings in a file the rate of the first. */
const makeVorbisCheck = () => {
  let before = Buffer.alloc(0)
  let rate = 0
  return (/** @type {Buffer} */ chunk) => {
    const bytes = Buffer.concat([before, chunk])
    for (
      let at = bytes.indexOf(vorbisBegins, 0, "latin1");
      at >= 0;
      at = bytes.indexOf(vorbisBegins, at + 1, "latin1")
    ) {
      if (at + vorbisHeader > bytes.length) break
      const found = bytes.readUInt32LE(at + vorbisHeader - 4)
      rate ||= found
      if (rate !== found) throw new Error(rateChanges)
    }
    before = bytes.subarray(1 - vorbisHeader)
  }
}

const rateChanges = "its sample rate changes"

/**
 * Decodes the recording to blocks of samples, the mean of all channels.
 *
 * @returns {AsyncGenerator<{ samples: Float32Array<ArrayBuffer>, sampleRate: number } | undefined, undefined>} `undefined`
 *   if the chunks that were read gave no samples
 */
async function* decoded() {
  checkAmount(announcedSamples)
  const decoder = await decode[container === "ogg" ? oggCodec() : /** @type {"mp3"} */ (container)]()
  let rate = 0
  let total = 0
  /** @type {Array<ReadonlyArray<Float32Array>>} */
  let parts = []
  let length = 0
  let read = 0
  const take = (/** @type {{ channelData: ReadonlyArray<Float32Array>, sampleRate: number }} */ audio) => {
    const frames = audio.channelData[0]?.length ?? 0
    if (frames === 0) return
    total += frames * audio.channelData.length
    checkAmount(total)
    rate ||= audio.sampleRate
    if (rate !== audio.sampleRate) throw new Error(rateChanges)
    parts.push(audio.channelData)
    length += frames
  }
  const gather = () => {
    const samples = new Float32Array(length)
    let offset = 0
    for (const channels of parts) offset += mix(channels, samples, offset)
    parts = []
    length = 0
    read = 0
    return samples.length === 0 ? undefined : { samples, sampleRate: rate }
  }
  const checkVorbis = container === "ogg" ? makeVorbisCheck() : undefined
  for (const chunk of container === "m4a" ? tablesFirst() : chunks(begin, finish)) {
    checkVorbis?.(chunk)
    take(await decoder(chunk))
    if (length >= enough.samples || ++read >= enough.chunks) yield gather()
  }
  take(await decoder())
  yield gather()
  if (total === 0) throw new Error("it holds no audio")
  if (total < announcedSamples) throw new Error("it ends early")
}

/** @param {number} samples */
const checkAmount = (samples) => {
  if (samples <= maximumSamples) return
  throw new Error(`it has more than ${maximumSamples} samples in all its channels; send it in mono at 8 kHz`)
}

/**
 * Writes the mean of the channels into `samples`. Returns the number of frames.
 *
 * @param {ReadonlyArray<Float32Array>} channels @param {Float32Array} samples @param {number} offset
 */
const mix = ([first = new Float32Array(0), ...others], samples, offset) => {
  samples.set(first, offset)
  if (others.length === 0) return first.length
  const mixed = samples.subarray(offset, offset + first.length)
  for (const other of others) {
    for (let index = 0; index < mixed.length; index++) mixed[index] = (mixed[index] ?? 0) + (other[index] ?? 0)
  }
  for (let index = 0; index < mixed.length; index++) mixed[index] = (mixed[index] ?? 0) / (others.length + 1)
  return first.length
}

const blocks = decoded()

const decodeNext = async () => {
  try {
    const { done, value } = await blocks.next()
    return done === true ? { end: true } : { block: value }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

// One block ahead: this thread decodes while the main one uses the block before.
let ahead = decodeNext()
port.on("message", async () => {
  const reply = await ahead
  port.postMessage(reply, reply.block === undefined ? [] : [reply.block.samples.buffer])
  ahead = decodeNext()
})
