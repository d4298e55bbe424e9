/** A proxy between a client and a service, which notes each response byte by byte. */
import { createHash } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { listen, send } from "effect-speech-test-support/plainHttp"

/** A request and its response. */
export interface Exchange {
  /** The operation, the fields and the content of the request, without its ids. */
  readonly identity: string
  /** The id of the request: `transaction_id` or `X-Request-Id`. */
  readonly id: string
  readonly status: number
  /** The headers of the contract, and those by which a client decides. How the body is framed is not compared: its bytes are. */
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of the body. */
  readonly body: string
  readonly bytes: number
}

const kept = /^(content-(type|encoding)|retry-after|x-(?!powered-by).*)$/

const headersOf = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => kept.test(name))
      .map(([name, value]) => [name, String(value)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  )

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)])
  )
}

/** Read by Node's own parsers, which share nothing with those of the service. */
const readRequest = async (headers: IncomingHttpHeaders, body: Uint8Array<ArrayBuffer>) => {
  const type = headers["content-type"] ?? ""
  const response = new Response(body, { headers: { "content-type": type } })
  if (!type.startsWith("multipart/")) {
    return { id: String(headers["x-request-id"]), identity: JSON.stringify(sorted(await response.json())) }
  }
  const fields: Array<string> = []
  let id = ""
  for (const [name, value] of await response.formData()) {
    if (name === "transaction_id") id = String(value)
    else fields.push(`${name}=${typeof value === "string" ? value : digest(new Uint8Array(await value.arrayBuffer()))}`)
  }
  return { id, identity: fields.toSorted().join("&") }
}

/** Starts a proxy to a base URL. `exchanges` has the responses in the order in which they ended, and `failures` the connections that failed. */
export const startTap = async (target: string) => {
  const exchanges: Array<Exchange> = []
  const failures: Array<string> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const body = new Uint8Array(Buffer.concat(chunks))
    const { host, connection, "content-length": length, ...headers } = request.headers
    try {
      const answer = await send(`${target}${request.url}`, {
        method: request.method ?? "",
        // The service closes a connection that was idle, perhaps at the very moment of the next request.
        agent: false,
        headers,
        body: [body]
      })
      exchanges.push({
        ...(await readRequest(request.headers, body)),
        status: answer.status,
        headers: headersOf(answer.headers),
        body: digest(answer.bytes),
        bytes: answer.bytes.length
      })
      const { connection: _, "transfer-encoding": __, "keep-alive": ___, ...answered } = answer.headers
      response.writeHead(answer.status, answered)
      response.end(answer.bytes)
    } catch (error) {
      failures.push(`${target}: ${error}`)
      response.destroy()
    }
  })
  const url = await listen(server)
  return {
    url,
    exchanges,
    failures,
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
