// Plain JavaScript: measured processes run without a compiler.
import { Agent, request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"

/** @typedef {{ readonly status: number, readonly headers: import("node:http").IncomingHttpHeaders, readonly bytes: Buffer }} Answer */

const keepAlive = new Agent({ keepAlive: true })

/**
 * Sends an HTTP request and reads the whole response. Rejects if the connection fails, if the response is cut off, or if
 * `signal` aborts.
 *
 * @param {string} url
 * @param {object} init
 * @param {string} [init.method] Default: POST.
 * @param {import("node:http").OutgoingHttpHeaders} [init.headers]
 * @param {ReadonlyArray<string | Uint8Array>} [init.body] The chunks of the body. Their length is sent as Content-Length.
 * @param {number} [init.announced] A Content-Length above the length of the body: the request then breaks off.
 * @param {boolean} [init.leave] Closes the connection when the response begins.
 * @param {Agent | false} [init.agent] For http. With `false` each request has its own connection.
 * @param {AbortSignal} [init.signal]
 * @returns {Promise<Answer>}
 */
export const send = (
  url,
  { agent = keepAlive, announced, body = [], headers, leave = false, method = "POST", signal }
) =>
  new Promise((resolve, reject) => {
    const length = body.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0)
    const options = {
      method,
      headers: { ...headers, "content-length": announced ?? length },
      ...(signal && { signal })
    }
    const request = url.startsWith("https:")
      ? httpsRequest(url, { ...options, ...(agent === false && { agent }) })
      : httpRequest(url, { ...options, agent })
    request.on("error", reject)
    request.once("response", (response) => {
      /** @type {Array<Buffer>} */
      const chunks = []
      if (leave) request.destroy(new Error("given up"))
      response.on("data", (chunk) => chunks.push(chunk))
      response.on("error", reject)
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) })
      )
    })
    for (const chunk of body) request.write(chunk)
    if (announced === undefined) request.end()
    else request.write("", () => request.destroy(new Error("given up")))
  })

/** The multipart form of a transcription. @param {Uint8Array} wav @param {{ readonly model?: string }} [fields] */
export const transcriptionForm = (wav, { model = "hi-general-v2-8khz" } = {}) => {
  const boundary = "a-boundary-that-no-audio-holds"
  /** @param {string} name @param {string} value */
  const field = (name, value) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    // The file comes first, so the service has read it before it finds an invalid field.
    body: [
      `--${boundary}\r\nContent-Disposition: form-data; name="audio_file"; filename="call.wav"\r\n\r\n`,
      wav,
      `\r\n${field("model", model)}${field("transaction_id", "7f3c0f3e-1b2a-4c5d-8e9f-0a1b2c3d4e5f")}--${boundary}--`
    ]
  }
}

/** Listens on a free port of loopback. Returns the URL. @param {import("node:http").Server} server @returns {Promise<string>} */
export const listen = (server) =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address === "object") resolve(`http://127.0.0.1:${address?.port}`)
    })
  })
