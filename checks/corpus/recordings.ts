/**
 * The recordings of other programs: made by ffmpeg and sox, and with what programs put before and behind them. ffmpeg makes the
 * encodings, the byte surgery here the oddities that it does not write.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Container, containers } from "@effect-speech/audio-codec/Container"
import * as tags from "../../packages/audio-codec/test/containerBytes.js"

export interface Sample {
  readonly name: string
  readonly container: Container
  readonly bytes: Buffer
  /** The duration of three frames of its codec, in milliseconds: encoders and decoders differ in the padding. */
  readonly tolerance: number
  /** What is cut is damage, although ffmpeg plays the rest. Default: false. */
  readonly isCut?: boolean
}

/** Bytes in which nothing looks like a frame or a page. */
const filler = (length: number) => Buffer.from(tags.picture(length))
const id3 = (...parameters: Parameters<typeof tags.id3>) => Buffer.from(tags.id3(...parameters))
/** An ID3v2.4 tag with a footer, which may stand at the end. */
const id3WithFooter = (length: number) => {
  const tag = id3(length, 4, 0x10)
  return Buffer.concat([tag, Buffer.from("3DI"), tag.subarray(3, 10)])
}
const id3v1 = Buffer.from(tags.id3v1)
const ape = (size: number) => Buffer.from(tags.ape(size))
const ape1 = (size: number) => Buffer.concat([filler(size), Buffer.from(tags.apeEdge(size, 0))])
const lyrics = Buffer.concat([Buffer.from("LYRICSBEGIN"), filler(300)])
const lyrics2 = Buffer.concat([lyrics, Buffer.from("000311LYRICS200"), id3v1])
const lyrics1 = Buffer.concat([lyrics, Buffer.from("LYRICSEND"), id3v1])

const before: ReadonlyArray<readonly [string, Buffer]> = [
  ["ID3v2.2", id3(500, 2)],
  ["ID3v2.3", id3(500, 3)],
  ["ID3v2.4", id3(500)],
  ["an unsynchronised ID3", id3(500, 3, 0x80)],
  ["ID3 with a footer", id3WithFooter(200)],
  ["an empty ID3", id3(0)],
  ["two ID3", Buffer.concat([id3(200), id3(300, 3)])],
  ["ID3 of 400 kB", id3(400_000)]
]
const beforeMp3: ReadonlyArray<readonly [string, Buffer]> = [
  ["APE", ape(2000)],
  ["a zero", Buffer.alloc(1)],
  ["zeros", Buffer.alloc(2000)],
  ["ID3 and zeros", Buffer.concat([id3(50), Buffer.alloc(1000)])],
  ["something else", filler(900)],
  ["ID3 and something else", Buffer.concat([id3(50), filler(900)])]
]
const behindMp3: ReadonlyArray<readonly [string, Buffer]> = [
  ["ID3v1", id3v1],
  ["enhanced ID3v1", Buffer.concat([Buffer.from("TAG+"), Buffer.alloc(223), id3v1])],
  ["two ID3v1", Buffer.concat([id3v1, id3v1])],
  ["APE", ape(300)],
  ["APE of 300 kB", ape(300_000)],
  ["APEv1", ape1(500)],
  ["APE and ID3v1", Buffer.concat([ape(300), id3v1])],
  ["Lyrics3v2 and ID3v1", lyrics2],
  ["Lyrics3v1 and ID3v1", lyrics1],
  ["ID3 with a footer", id3WithFooter(200)],
  ["zeros", Buffer.alloc(3000)]
]
const behind: ReadonlyArray<readonly [string, Buffer]> = [
  ["ID3v1", id3v1],
  ["APE and ID3v1", Buffer.concat([ape(300), id3v1])],
  ["zeros", Buffer.alloc(3000)]
]

/** Changes the numbers of an Xing header. The bytes may count tags. */
const withXing = (file: Buffer, change: (frames: number, bytes: number) => readonly [number, number]): Buffer => {
  const changed = Buffer.from(file)
  const at = Math.max(changed.indexOf("Xing"), changed.indexOf("Info"))
  const [frames, bytes] = change(changed.readUInt32BE(at + 8), changed.readUInt32BE(at + 12))
  changed.writeUInt32BE(frames, at + 8)
  changed.writeUInt32BE(bytes, at + 12)
  return changed
}

const crcTable = Array.from({ length: 256 }, (_, index) => {
  let value = index << 24
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value
})

/** The pages of an Ogg. */
const pagesOf = (file: Buffer): ReadonlyArray<Buffer> => {
  const pages: Array<Buffer> = []
  for (let at = 0; at + 27 < file.length; ) {
    const segments = file.readUInt8(at + 26)
    const length = 27 + segments + file.subarray(at + 27, at + 27 + segments).reduce((sum, each) => sum + each, 0)
    pages.push(file.subarray(at, at + length))
    at += length
  }
  return pages
}

/** A page with another checksum (RFC 3533, section 6), after a change. */
const changedPage = (page: Buffer, change: (page: Buffer) => void): Buffer => {
  const changed = Buffer.from(page)
  change(changed)
  changed.writeUInt32LE(0, 22)
  let crc = 0
  for (const byte of changed) crc = (crc << 8) ^ (crcTable[((crc >>> 24) & 255) ^ byte] ?? 0)
  changed.writeUInt32LE(crc >>> 0, 22)
  return changed
}

const later = (file: Buffer, by: bigint): Buffer =>
  Buffer.concat(
    pagesOf(file).map((page) =>
      changedPage(page, (one) => {
        const position = one.readBigInt64LE(6)
        if (position > 0n) one.writeBigInt64LE(position + by, 6)
      })
    )
  )

const withoutEnd = (file: Buffer): Buffer =>
  Buffer.concat(pagesOf(file).map((page) => changedPage(page, (one) => one.writeUInt8(one.readUInt8(5) & ~4, 5))))

const withoutLastPage = (file: Buffer): Buffer => Buffer.concat(pagesOf(file).slice(0, -1))

const box = (type: string, content: Buffer, wide = false): Buffer => {
  const head = Buffer.alloc(wide ? 16 : 8)
  head.writeUInt32BE(wide ? 1 : 8 + content.length)
  head.write(type, 4, "latin1")
  if (wide) head.writeBigUInt64BE(BigInt(16 + content.length), 8)
  return Buffer.concat([head, content])
}

/** A byte of a box that ends at the end of the file: its size may be 0. */
const openEnded = (file: Buffer, type: string): Buffer => {
  const changed = Buffer.from(file)
  changed.writeUInt32BE(0, changed.lastIndexOf(type) - 4)
  return changed
}

/** What makes the recordings of a container, in a folder. */
interface Workshop {
  readonly add: (name: string, bytes: Buffer, tolerance: number, isCut?: boolean) => void
  readonly path: (name: string) => string
  readonly ffmpeg: (output: string, ...parameters: ReadonlyArray<string>) => Buffer
  readonly sox: (output: string, seconds: string, ...parameters: ReadonlyArray<string>) => Buffer
  /** The parameters of ffmpeg for the source, and for a picture. */
  readonly input: ReadonlyArray<string>
  readonly picture: ReadonlyArray<string>
}

const makeMp3 = ({ add, ffmpeg, input }: Workshop) => {
  const mp3s: ReadonlyArray<readonly [string, number, ReadonlyArray<string>]> = [
    ["of one bitrate, without a header", 108, ["-b:a", "32k", "-write_xing", "0", "-id3v2_version", "0"]],
    ["of changing bitrate", 108, ["-q:a", "5", "-id3v2_version", "0"]],
    ["of changing bitrate, without a header", 108, ["-q:a", "5", "-write_xing", "0", "-id3v2_version", "0"]],
    ["of 44.1 kHz in stereo", 80, ["-ar", "44100", "-ac", "2", "-b:a", "128k"]],
    ["of 8 kHz", 216, ["-ar", "8000", "-b:a", "16k", "-write_id3v1", "1"]],
    ["of joint stereo at 48 kHz", 80, ["-ar", "48000", "-ac", "2", "-joint_stereo", "1", "-q:a", "2"]],
    ["of an average bitrate", 108, ["-b:a", "40k", "-abr", "1"]],
    ["with a reservoir of no bits", 108, ["-b:a", "32k", "-reservoir", "0"]]
  ]
  const made = mp3s.map(([name, tolerance, parameters], index) => {
    const bytes = ffmpeg(`${index}.mp3`, ...input, ...parameters)
    add(name, bytes, tolerance)
    return bytes
  })
  const [constant = Buffer.alloc(0), variable = Buffer.alloc(0)] = made
  const layer2 = ffmpeg("layer2.mp2", ...input, "-c:a", "mp2", "-ar", "32000", "-b:a", "64k", "-f", "mp2")
  add("of layer II", layer2, 110)
  for (const [label, bytes] of [
    ["constant", constant],
    ["variable", variable]
  ] as const) {
    for (const [name, tag] of [...before, ...beforeMp3]) {
      add(`${label} behind ${name}`, Buffer.concat([tag, bytes]), 108)
    }
    for (const [name, tag] of behindMp3) add(`${label} before ${name}`, Buffer.concat([bytes, tag]), 108)
    add(`${label}, cut`, bytes.subarray(0, bytes.length - 7), 108, true)
  }
  add("two of one bitrate, put together", Buffer.concat([constant, constant]), 216)
  add("two of changing bitrate, put together", Buffer.concat([variable, variable]), 216)
  const counts = (
    name: string,
    file: Buffer,
    change: (frames: number, bytes: number) => readonly [number, number],
    isCut = false
  ) => add(`whose header counts ${name}`, withXing(file, change), 108, isCut)
  const tagged = Buffer.concat([id3(3000), variable, ape(300), id3v1])
  counts("no bytes", variable, (frames) => [frames, 0])
  counts("its own frame", variable, (frames, bytes) => [frames + 1, bytes])
  counts("the tags behind", tagged, (frames, bytes) => [frames, bytes + 300 + 64 + 128])
  counts("all tags", tagged, (frames, bytes) => [frames, bytes + 300 + 64 + 128 + 3010])
  counts("a longer file", variable, (frames, bytes) => [frames * 40, bytes * 40], true)
}

const makeFlac = ({ add, ffmpeg, sox, input }: Workshop) => {
  const flac = ffmpeg("plain.flac", ...input)
  add("plain", flac, 10)
  const streamed = Buffer.from(flac)
  streamed.fill(0, 22, 26).writeUInt8(streamed.readUInt8(21) & 0xf0, 21)
  add("of an unknown number of samples", streamed, 10)
  add("of 24 bits in stereo", ffmpeg("24.flac", ...input, "-sample_fmt", "s32", "-ac", "2"), 10)
  add("of sox", sox("sox.flac", "30", "-r", "8000"), 10)
  add("with notes", ffmpeg("notes.flac", ...input, "-metadata", `comment=${"words ".repeat(5000)}`), 10)
  for (const [name, tag] of before) add(`behind ${name}`, Buffer.concat([tag, flac]), 10)
  for (const [name, tag] of behind) add(`before ${name}`, Buffer.concat([flac, tag]), 10)
}

const makeOgg = ({ add, ffmpeg, input, path, picture }: Workshop) => {
  const oggs: ReadonlyArray<readonly [string, number, ReadonlyArray<string>]> = [
    ["Vorbis", 200, ["-c:a", "libvorbis"]],
    ["Opus", 60, ["-c:a", "libopus", "-b:a", "32k"]],
    ["Speex", 60, ["-c:a", "libspeex"]],
    ["FLAC", 220, ["-c:a", "flac"]]
  ]
  for (const [name, tolerance, parameters] of oggs) {
    const make = (label: string, ...more: ReadonlyArray<string>) =>
      ffmpeg(`${name}-${label.replaceAll(/\W/g, "")}.ogg`, ...input, ...parameters, ...more)
    const plain = make("plain")
    const link = ffmpeg(`${name}-link.ogg`, "-t", "9", ...input, ...parameters)
    const add1 = (label: string, bytes: Buffer, isCut = false) => add(`${name} ${label}`, bytes, tolerance, isCut)
    add1("plain", plain)
    add1("of many pages", make("pages", "-page_duration", "60000"))
    add1("with long notes", make("notes", "-metadata", `comment=${"words ".repeat(15_000)}`))
    add1("whose positions begin later", later(plain, 1_440_000n))
    add1("without a mark of its end", withoutEnd(plain))
    add1("without its last page", withoutLastPage(plain))
    add1("and another one", Buffer.concat([plain, link]))
    add1("twice", Buffer.concat([plain, plain]))
    add1("cut", plain.subarray(0, plain.length - 9), true)
    add1(
      "cut from a longer one",
      ffmpeg(`${name}-part.ogg`, "-ss", "10", "-i", path(`${name}-plain.ogg`), "-c", "copy", "-copyts")
    )
    if (name !== "Speex") {
      add1("with video", ffmpeg(`${name}-video.ogg`, ...picture, ...input, "-c:v", "libtheora", ...parameters))
    }
    for (const [label, tag] of before.slice(2, 5)) add1(`behind ${label}`, Buffer.concat([tag, plain]))
    for (const [label, tag] of behind) add1(`before ${label}`, Buffer.concat([plain, tag]))
  }
}

const makeM4a = ({ add, ffmpeg, input, path, picture }: Workshop) => {
  const m4as: ReadonlyArray<readonly [string, ReadonlyArray<string>, string?]> = [
    ["plain", []],
    ["of ALAC", ["-c:a", "alac"]],
    ["with its description first", ["-movflags", "+faststart"]],
    ["of fragments", ["-movflags", "+empty_moov+frag_keyframe", "-frag_duration", "2000000"]],
    ["of fragments behind samples", ["-movflags", "+frag_keyframe", "-frag_duration", "2000000"]],
    ["of fragments with an index", ["-movflags", "+dash+global_sidx", "-frag_duration", "2000000"]],
    ["of QuickTime", [], "mov"],
    ["of QuickTime with PCM", ["-c:a", "pcm_s16le"], "mov"],
    ["of mobile phones", ["-c:a", "aac", "-ar", "8000"], "3gp"],
    ["in stereo at 44.1 kHz", ["-ar", "44100", "-ac", "2"], "mp4"],
    ["with long notes", ["-metadata", `comment=${"words ".repeat(9000)}`]],
    ["without an edit list", ["-use_editlist", "0"]]
  ]
  for (const [index, [name, parameters, extension = "m4a"]] of m4as.entries()) {
    add(name, ffmpeg(`${index}.${extension}`, ...input, ...parameters), 200)
  }
  const m4a = readFileSync(path("0.m4a"))
  const first = readFileSync(path("2.m4a"))
  add("with video", ffmpeg("video.mp4", ...picture, ...input, "-c:v", "mpeg4"), 200)
  add("with two recordings", ffmpeg("two.m4a", ...input, ...input, "-map", "0", "-map", "1"), 200)
  add("cut by its edit list", ffmpeg("part.m4a", "-ss", "10", "-i", path("0.m4a"), "-c", "copy"), 200)
  add("with a late start", ffmpeg("late.m4a", "-itsoffset", "0", ...input, "-output_ts_offset", "3"), 3200)
  add("whose last box is open", openEnded(m4a, "moov"), 200)
  add("whose samples are open", openEnded(first, "mdat"), 200)
  add("before free space", Buffer.concat([m4a, box("free", Buffer.alloc(900))]), 200)
  add("before free space of 64 bits", Buffer.concat([m4a, box("free", Buffer.alloc(900), true)]), 200)
  add("before free space that is cut", Buffer.concat([m4a, box("free", Buffer.alloc(900)).subarray(0, 500)]), 200)
  add("before a box of its own", Buffer.concat([m4a, box("uuid", filler(900))]), 200)
  for (const [name, tag] of behind) add(`before ${name}`, Buffer.concat([m4a, tag]), 200)
  add("cut", first.subarray(0, first.length - 40), 200, true)
}

const makeWebm = ({ add, ffmpeg, input, path, picture }: Workshop) => {
  const webms: ReadonlyArray<readonly [string, ReadonlyArray<string>, string?]> = [
    ["of Opus", ["-c:a", "libopus"]],
    ["of Vorbis", ["-c:a", "libvorbis"]],
    ["as it is recorded", ["-c:a", "libopus", "-live", "1"]],
    ["with its index first", ["-c:a", "libopus", "-cues_to_front", "1", "-reserve_index_space", "5000"]],
    ["of short clusters", ["-c:a", "libopus", "-cluster_time_limit", "200"]],
    ["of DASH", ["-c:a", "libopus", "-dash", "1", "-dash_track_number", "1"]],
    ["of Matroska with FLAC", ["-c:a", "flac"], "mka"],
    ["of Matroska with MP3", ["-c:a", "libmp3lame"], "mka"],
    ["of Matroska with AAC", ["-c:a", "aac"], "mka"],
    ["of Matroska with PCM", ["-c:a", "pcm_s16le"], "mka"],
    ["with long notes", ["-c:a", "libopus", "-metadata", `comment=${"words ".repeat(20_000)}`]],
    ["with late times", ["-c:a", "libopus", "-output_ts_offset", "30"]]
  ]
  for (const [index, [name, parameters, extension = "webm"]] of webms.entries()) {
    add(name, ffmpeg(`w${index}.${extension}`, ...input, ...parameters), 120)
  }
  const webm = readFileSync(path("w0.webm"))
  const piped = execFileSync("ffmpeg", ["-v", "error", ...input, "-c:a", "libopus", "-f", "webm", "-"], {
    maxBuffer: 2 ** 28
  })
  add("written to a pipe", piped, 120)
  add("with video", ffmpeg("video.webm", ...picture, ...input, "-c:v", "libvpx", "-c:a", "libopus"), 300)
  add("cut with its times kept", ffmpeg("part.webm", "-ss", "10", "-i", path("w0.webm"), "-c", "copy", "-copyts"), 120)
  add("cut with new times", ffmpeg("new.webm", "-ss", "10", "-i", path("w0.webm"), "-c", "copy"), 120)
  add("behind ID3", Buffer.concat([id3(500), webm]), 120)
  add("before zeros", Buffer.concat([webm, Buffer.alloc(900)]), 120)
  add("cut", webm.subarray(0, webm.length >> 1), 120, true)
}

const makeWav = ({ add, ffmpeg, sox, input }: Workshop) => {
  const wav = (name: string, bytes: Buffer) => add(name, bytes, 1)
  for (const bits of [8, 16, 24, 32]) {
    for (const channels of [1, 2, 5]) {
      for (const end of ["-L", "-B"]) {
        const name = `${end === "-B" ? "RIFX" : "RIFF"} of ${bits} bits, ${channels} channels`
        wav(name, sox(`s${bits}${channels}${end}.wav`, "1.001", "-b", String(bits), "-c", String(channels), end))
      }
    }
  }
  for (const encoding of ["floating-point", "a-law", "u-law"]) {
    const bits = encoding === "floating-point" ? "32" : "8"
    for (const end of ["-L", "-B"]) {
      wav(`${encoding} ${end}`, sox(`${encoding}${end}.wav`, "1.001", "-e", encoding, "-b", bits, end))
    }
  }
  const short = ["-t", "1.001", ...input]
  wav("RF64", ffmpeg("rf64.wav", ...short, "-rf64", "always"))
  wav("of 64 bits", ffmpeg("f64.wav", ...short, "-c:a", "pcm_f64le"))
  wav("of broadcasters", ffmpeg("bext.wav", ...short, "-write_bext", "1", "-metadata", "description=notes"))
  const notes = ffmpeg("notes.wav", ...short, "-metadata", "title=a title")
  wav("with notes", notes)
  const at = notes.indexOf("data")
  const cover = box("id3 ", filler(400_001))
  cover.writeUInt32LE(400_001, 0)
  const chunk = Buffer.concat([Buffer.from("id3 "), cover.subarray(0, 4), filler(400_001), Buffer.alloc(1)])
  wav("with a picture before the samples", Buffer.concat([notes.subarray(0, at), chunk, notes.subarray(at)]))
  wav("behind ID3", Buffer.concat([id3(500), notes]))
  wav("before ID3v1", Buffer.concat([notes, id3v1]))
  wav("written to a pipe", execFileSync("ffmpeg", ["-v", "error", ...short, "-f", "wav", "-"], { maxBuffer: 2 ** 28 }))
}

/** Makes all recordings, in a folder. */
export const makeRecordings = (folder: string): ReadonlyArray<Sample> => {
  const path = (name: string) => join(folder, name)
  const ffmpeg = (output: string, ...parameters: ReadonlyArray<string>): Buffer => {
    execFileSync("ffmpeg", ["-v", "error", "-y", ...parameters, path(output)], {
      stdio: ["ignore", "ignore", "inherit"]
    })
    return readFileSync(path(output))
  }
  const sox = (output: string, seconds: string, ...parameters: ReadonlyArray<string>): Buffer => {
    execFileSync("sox", ["-V1", path("source.wav"), ...parameters, path(output), "trim", "0", seconds])
    return readFileSync(path(output))
  }
  // Speech changes its loudness, so that the bitrate of variable encodings changes too.
  const tone = "aevalsrc=0.4*sin(660*t*(1+sin(t/3)))*gt(sin(t*2)\\,-0.5)+0.05*random(0)*gt(sin(t)\\,0):s=16000:d=30"
  ffmpeg("source.wav", "-f", "lavfi", "-i", tone)
  const input = ["-i", path("source.wav")]
  const picture = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=5:d=30"]
  const makers = { mp3: makeMp3, flac: makeFlac, ogg: makeOgg, m4a: makeM4a, webm: makeWebm, wav: makeWav }
  const samples: Array<Sample> = []
  for (const container of containers) {
    makers[container]({
      ...{ path, ffmpeg, sox, input, picture },
      add: (name, bytes, tolerance, isCut = false) => samples.push({ container, name, bytes, tolerance, isCut })
    })
  }
  return samples
}
