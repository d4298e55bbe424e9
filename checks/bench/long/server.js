// Plain JavaScript: no compiler slows the server down.
/** A service that takes 100 ms for each call, as a process of its own: `node server.js`. Sends its URL when it is ready. */
import { createServer } from "node:http"
import { listen } from "effect-speech-test-support/plainHttp"
import { chances } from "effect-speech-test-support/random"
import { audioHeaders, sampleRate } from "../contract.js"

const callMillis = 100

/** A second of noise, with silence at both ends as a voice has it. */
const random = chances(1)
const speech = Buffer.from(
  Int16Array.from({ length: sampleRate }, (_, index) =>
    index < sampleRate / 10 || index > 0.9 * sampleRate ? 0 : Math.round((random() - 0.5) * 10_000)
  ).buffer
)
const speechHeaders = { ...audioHeaders, "X-Audio-Duration-Ms": "1000", "Content-Length": speech.byteLength }

const words = ["नमस्ते, आपका स्वागत है।", "आज हम शहर के बारे में बात करेंगे।"]
const transcript = JSON.stringify({
  status: "success",
  text: words.join(" "),
  call_id: "call",
  aux_info: {
    confidence: 0.9,
    segments_meta: words.map((text, index) => ({ text, start: index, end: index + 1, confidence: 0.9 }))
  }
})

let responses = 0
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const respond = () =>
    request.url?.endsWith("/tts/bytes")
      ? response
          .writeHead(200, {
            ...speechHeaders,
            "X-Request-Id": request.headers["x-request-id"] ?? `request-${++responses}`
          })
          .end(speech)
      : response.writeHead(200, { "Content-Type": "application/json" }).end(transcript)
  request.resume().once("end", () => setTimeout(respond, callMillis))
})

process.once("disconnect", () => process.exit())
process.send?.(await listen(server))
