/** The modules of transport, stt and tts, as a user finds them. */

import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import * as Transport from "@effect-speech/transport"
import * as NodeTransport from "@effect-speech/transport/NodeTransport"
import * as Layer from "effect/Layer"

describe("@effect-speech/transport", () => {
  it("exports what a program uses, and nothing that only the other packages use", () => {
    expect(Object.keys(Transport).toSorted()).toEqual([
      "ApiKey",
      "CallEvent",
      "CallReport",
      "ClientOptions",
      "Deadlines",
      "Retries",
      "ServiceError"
    ])
  })

  it("has the layer for Node at a subpath named after it, so that a bundle for a browser does not load Node's code", () => {
    expect(Layer.isLayer(NodeTransport.layer)).toBe(true)
    // @ts-expect-error: the index does not export it
    expect(Transport.NodeTransport).toBeUndefined()
  })

  it("has each module of its index as an entry point, and the rest below /unstable", async () => {
    const folder = new URL("../../packages/transport/src/", import.meta.url)
    const modules = readdirSync(fileURLToPath(folder)).flatMap((file) => /^([A-Z]\w*)\.ts$/.exec(file)?.[1] ?? [])
    expect(modules.filter((name) => name !== "NodeTransport").toSorted()).toEqual(Object.keys(Transport).toSorted())
    await expect(import("@effect-speech/transport/unstable/Client")).resolves.toHaveProperty("connect")
  })
})
