/** A folder of exchanges under version control, and in the hands of somebody who looks for the key. */

import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { listen } from "effect-speech-test-support/plainHttp"
import { run } from "effect-speech-test-support/processes"
import { bar, sum, title } from "effect-speech-test-support/report"
import { barOfNone } from "../support/print.js"
import { planRequests, writeRecordings } from "./plan.js"
import { play } from "./play.js"
import { newFolder, startReal, startRecorder } from "./services.js"

export const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.git"))
    .map((entry) => join(entry.parentPath, entry.name))

/** A key in the forms in which a program may write it. */
const formsOf = (key: string): ReadonlyArray<string> => {
  const secret = key.slice(key.indexOf(".") + 1)
  return [key, secret].flatMap((text) => {
    const bytes = Buffer.from(text)
    // In base64 a text has three forms, by the bytes before it.
    const shifted = [0, 1, 2].map((before) => {
      const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64")
      return encoded.slice(Math.ceil((before * 8) / 6) + 1, Math.floor(((before + bytes.length) * 8) / 6) - 1)
    })
    return [text, encodeURIComponent(text), bytes.toString("hex"), ...shifted]
  })
}

/** The files that hold a key in any form. */
export const findKey = (folder: string, keys: ReadonlyArray<string>): ReadonlyArray<string> => {
  const forms = keys.flatMap(formsOf)
  return filesOf(folder).filter((file) => {
    const bytes = readFileSync(file)
    return forms.some((form) => file.includes(form) || bytes.includes(form))
  })
}

const git = (folder: string, ...parameters: ReadonlyArray<string>) =>
  run("git", ["-c", "user.name=check", "-c", "user.email=check@localhost", "-C", folder, ...parameters])

export const checkFolder = async ({ count, seed }: { readonly count: number; readonly seed: number }) => {
  title("A folder under version control")
  const recordings = newFolder("recordings")
  const requests = planRequests(count, writeRecordings(recordings), seed)
  const folder = newFolder("exchanges")
  const keys: Array<string> = []
  const record = async (options: { readonly seed?: number | undefined } = {}) => {
    const real = await startReal({ recordings, ...options })
    const recorder = await startRecorder(folder, real)
    await play(recorder, requests, 1)
    keys.push(real.apiKey ?? "", recorder.apiKey ?? "")
    await recorder.stop()
    await real.stop()
  }
  await record()
  await git(folder, "init", "--quiet")
  await git(folder, "add", "--all")
  await git(folder, "commit", "--quiet", "--message", "recorded")
  const changes = async () =>
    (await git(folder, "status", "--porcelain")).stdout.split("\n").filter((line) => line !== "")
  await record()
  barOfNone("the same requests, recorded again, change no file", await changes(), `${(await changes()).length} changed`)
  await record({ seed: undefined })
  barOfNone("nor do the ids that the service chooses", await changes(), `${(await changes()).length} changed`)
  const files = filesOf(folder)
  const bytes = sum(files.map((file) => readFileSync(file).length))
  console.log(`\n${files.length} files, ${(bytes / 1e6).toFixed(1)} MB.\n`)
  barOfNone(
    "no file holds a key, plain, in hex, in base64 or escaped in URLs",
    findKey(folder, keys),
    `${keys.length} keys`
  )
  await checkEcho()
}

/** A service that shows the key which it got, in a body and in a header. */
const checkEcho = async () => {
  const server = createServer((request, response) => {
    const key = String(request.headers["x-api-key"])
    request.resume().once("end", () => {
      const shown = request.url?.startsWith("/tts") ? Buffer.from(key).toString("base64") : key
      response.writeHead(400, { "Content-Type": "application/json", "X-Request-Id": key.slice(0, 64) })
      response.end(JSON.stringify({ error: `the key ${shown} is wrong`, message: encodeURIComponent(key) }))
    })
  })
  const url = await listen(server)
  const apiKey = "sk_live.a+secret/that=must&not%be/kept"
  const folder = newFolder("echoed")
  const recorder = await startRecorder(folder, { apiKey, sttBaseUrl: url, ttsBaseUrl: url })
  const recordings = writeRecordings(newFolder("recordings"))
  const { outcomes } = await play(recorder, planRequests(20, recordings, 1), 4)
  await recorder.stop()
  server.close()
  server.closeAllConnections()
  const found = findKey(folder, [apiKey, recorder.apiKey ?? ""])
  barOfNone("no file holds a key that the service has echoed", found, `${outcomes.length} responses`)
  bar(
    "each request was answered",
    outcomes.every((outcome) => outcome.includes("BadRequest")),
    outcomes[0] ?? ""
  )
}
