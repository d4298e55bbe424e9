import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "speech serve ends at %s as interrupted, and leaves no file",
  async (signal) => {
    const folder = mkdtempSync(`${tmpdir()}/signal-`)
    const child = spawn(
      process.execPath,
      ["--conditions=@effect-speech/source", "--import", "tsx", bin, "serve", "--json"],
      { env: { ...process.env, TMPDIR: folder }, stdio: ["ignore", "pipe", "ignore"] }
    )
    try {
      const ended = once(child, "exit")
      await once(child.stdout, "data")
      const ours = () => readdirSync(folder).filter((name) => name.startsWith("effect-speech-"))
      expect(ours()).toHaveLength(1)
      child.kill(signal)
      expect(await ended).toEqual([130, null])
      expect(ours()).toEqual([])
    } finally {
      child.kill("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    }
  },
  60_000
)
