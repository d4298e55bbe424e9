/** Recordings as files, for commands that send them. */
import { createCipheriv } from "node:crypto"
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs"

const mebibyte = 2 ** 20

/** 16-bit mono at 8 kHz. @param {number} byteLength of the whole file */
export const wavHeader = (byteLength) => {
  const header = Buffer.alloc(44)
  header.write("RIFF", 0)
  header.writeUInt32LE(byteLength - 8, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(16_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write("data", 36)
  header.writeUInt32LE(byteLength - 44, 40)
  return header
}

/** A WAV file of noise: neither a file system nor a network can make it smaller. @param {string} path @param {number} byteLength */
export const writeNoise = (path, byteLength) => {
  const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16, 1), Buffer.alloc(16))
  const silence = Buffer.alloc(mebibyte)
  const file = openSync(path, "w")
  writeSync(file, wavHeader(byteLength))
  for (let left = byteLength - 44; left > 0; left -= mebibyte) {
    writeSync(file, noise.update(silence.subarray(0, Math.min(left, mebibyte))))
  }
  // What is still to be written to the disk would be written while the first client is measured.
  fsyncSync(file)
  closeSync(file)
}
