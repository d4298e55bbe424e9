import { expect, it } from "@effect/vitest"
import { Framing } from "../../checks/network/framing.js"

const messages = [
  "POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
  "POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0\r\n\r\n\r\n789\r\n0\r\n\r\n",
  "POST /c HTTP/1.1\r\n\r\n",
  "POST /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
]
const bytes = Buffer.from(messages.join(""))

it.each([1, 2, 3, 7, 1000])("messages have the same edges in pieces of %i bytes", (size) => {
  const framing = new Framing()
  for (let at = 0; at < bytes.length; at += size) framing.push(bytes.subarray(at, at + size))
  let start = 0
  const expected = messages.map((text) => {
    const message = { start, headEnd: start + text.indexOf("\r\n\r\n") + 4, end: start + text.length, beginning: text }
    start = message.end
    return message
  })
  expect(framing.messages).toEqual(expected)
})

it("the offset of a point is known as soon as its edge is", () => {
  const framing = new Framing()
  const beforeEnd = { message: 0, edge: "end", offset: -1 } as const
  expect(framing.offsetOf({ message: 0, edge: "start", offset: 3 })).toBe(3)
  expect(framing.offsetOf(beforeEnd)).toBeUndefined()
  framing.push(Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"))
  expect(framing.offsetOf(beforeEnd)).toBe(framing.total + 999)
  expect(framing.offsetOf({ message: 1, edge: "start", offset: 0 })).toBe(framing.total + 1000)
})
