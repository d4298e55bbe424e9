// Plain JavaScript: measured processes run without a compiler.
/** WAV files of noise, which no compression makes smaller: mono, 16 bits, 8 kHz if no rate is given. */
import { createCipheriv } from "node:crypto"
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"
import { chances } from "./random.js"

const mebibyte = 2 ** 20

/** @param {number} byteLength Length of the whole file. @param {number} [sampleRate] In Hz. */
export const wavHeader = (byteLength, sampleRate = 8000) => {
  const header = Buffer.alloc(44)
  header.write("RIFF", 0)
  header.writeUInt32LE(byteLength - 8, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(2 * sampleRate, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write("data", 36)
  header.writeUInt32LE(byteLength - 44, 40)
  return header
}

/** A WAV file in memory. @param {number} byteLength Length of the audio. */
export const noise = (byteLength) => {
  const header = wavHeader(44 + byteLength)
  const file = Buffer.alloc(header.length + byteLength)
  file.set(header)
  const next = chances(byteLength)
  for (let at = header.length; at + 1 < file.length; at += 2) {
    file.writeInt16LE(Math.floor(next() * 0x10000) - 0x8000, at)
  }
  return file
}

/** Writes a WAV file. @param {string} path @param {number} byteLength Length of the whole file. @param {number} [sampleRate] In Hz. */
export const writeNoise = (path, byteLength, sampleRate) => {
  const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16, 1), Buffer.alloc(16))
  const silence = Buffer.alloc(mebibyte)
  const file = openSync(path, "w")
  writeSync(file, wavHeader(byteLength, sampleRate))
  for (let left = byteLength - 44; left > 0; left -= mebibyte) {
    writeSync(file, noise.update(silence.subarray(0, Math.min(left, mebibyte))))
  }
  // Else the disk would still be busy while the first client is measured.
  fsyncSync(file)
  closeSync(file)
}
