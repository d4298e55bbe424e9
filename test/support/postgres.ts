/**
 * A real PostgreSQL for tests: the one that is installed, in a temporary folder, on a free port of 127.0.0.1. A shell holds it,
 * which stops the server and removes the folder when this process ends, however it ends.
 */
import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chownSync, mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { Socket } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { freePort } from "./freePort.js"
import { folderOf } from "./programs.js"

export interface Postgres {
  /** The URL of an empty database of its own. */
  readonly database: () => Promise<string>
  /** Kills the server. It keeps the transactions that were committed. */
  readonly crash: () => Promise<void>
  /** Starts it again, on the same port. */
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

const debian = "/usr/lib/postgresql"

/** The versions that Debian installs, the newest first. */
const debianVersions = (): ReadonlyArray<string> => {
  try {
    return readdirSync(debian).sort((a, b) => Number(b) - Number(a))
  } catch {
    return []
  }
}

/** The folder of the programs: in PATH, or where Debian installs them. */
const programs = folderOf(
  ["postgres", "initdb", "createdb"],
  debianVersions().map((version) => join(debian, version, "bin"))
)

/** Whether tests can have a PostgreSQL. */
export const hasPostgres = programs !== undefined

/** The end of the title of tests that need PostgreSQL. */
export const postgresTitle = hasPostgres
  ? "PostgreSQL"
  : "PostgreSQL (left out: no initdb in PATH or /usr/lib/postgresql; install PostgreSQL to run these tests)"

/** PostgreSQL does not run as root. */
const user = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const lines = readFileSync("/etc/passwd", "utf8").split("\n")
  const line = lines.find((line) => line.startsWith("postgres:")) ?? lines.find((line) => line.startsWith("nobody:"))
  const [, , uid, gid] = line?.split(":") ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/** Tests lose nothing that matters with the power. */
const settingsOfTests = ["fsync=off", "full_page_writes=off", "max_connections=200", "shared_buffers=32MB"]

/** What the shell prints when the server has ended. */
const ended = "server ended"

/**
 * `$1` is the folder. It obeys the lines of its stdin until that ends with the process that started it. The server may also end by
 * itself, so a subshell waits for it and says so.
 */
const keeper = (settings: ReadonlyArray<string>) => `
exec 2>&1
serve() { postgres -D "$1" -p "$2" -k "$1" -h 127.0.0.1 ${settings.map((setting) => `-c ${setting}`).join(" ")} -c log_min_messages=log & echo $! >"$1/server"; wait $!; code=$?; rm "$1/server"; echo "${ended}: $code"; }
end() { kill -QUIT "$(cat "$1/server")"; wait $serving; } 2>/dev/null
initdb -D "$1" -U postgres -A scram-sha-256 --pwfile=/dev/stdin -E UTF8 --locale=C --no-sync --no-instructions >/dev/null <<END || exit 1
$PGPASSWORD
END
while read -r order port; do case $order in crash) end "$1";; start) serve "$1" "$port" & serving=$!;; esac; done
end "$1"
rm -rf "$1"
`

/**
 * Starts a server of its own, for a test that ends it. `ports` gives its port: another one, if a port is taken. `settings` are `NAME=VALUE`.
 */
export const startPostgres = async (
  ports: () => number | Promise<number> = freePort,
  settings: ReadonlyArray<string> = settingsOfTests
): Promise<Postgres> => {
  if (programs === undefined) throw new Error("No PostgreSQL is installed.")
  const { gid, uid } = user()
  const owner = uid === undefined || gid === undefined ? {} : { uid, gid }
  const folder = mkdtempSync(join(tmpdir(), "effect-speech-postgres-"))
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const password = randomBytes(12).toString("hex")
  const env = { PGPASSWORD: password, PATH: `${programs}${delimiter}/usr/bin${delimiter}/bin` }
  const shell = spawn("/bin/sh", ["-c", keeper(settings), "sh", folder], {
    ...owner,
    cwd: folder,
    detached: true,
    env,
    stdio: ["pipe", "pipe", "ignore"]
  })
  const closed = once(shell, "close")
  // Neither the pipes nor the server keep this process alive. What waits for a line does.
  shell.unref()
  for (const pipe of [shell.stdin, shell.stdout]) if (pipe instanceof Socket) pipe.unref()
  shell.stdin.on("error", () => {})
  const stop = async () => {
    shell.stdin.end()
    shell.ref()
    await closed
  }
  /** Gives an order, and waits until the server prints this. Rejects with what was printed if it ends, or after a minute. */
  const order = (line: string, expected: string): Promise<void> =>
    new Promise((resolve, reject) => {
      let output = ""
      shell.ref()
      const read = (chunk: Buffer) => {
        output += chunk
        if (output.includes(expected)) finish(resolve)
        else if (output.includes(ended)) fail("it ended")
      }
      const fail = (why: string) =>
        finish(() => reject(new Error(`PostgreSQL did not obey "${line}": ${why}.\n${output}`)))
      const close = () => fail("its shell ended")
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        shell.stdout.off("data", read)
        shell.off("close", close)
        // A full pipe would stop the server.
        shell.stdout.resume()
        shell.unref()
        settle()
      }
      const timer = setTimeout(fail, 60_000, "nothing happened for a minute")
      shell.stdout.on("data", read)
      shell.once("close", close)
      shell.stdin.write(`${line}\n`)
    })
  const ready = "ready to accept connections"

  let port = await ports()
  for (let left = 9; ; left--) {
    try {
      await order(`start ${port}`, ready)
      break
    } catch (error) {
      if (left === 0 || !/Address already in use/.test(String(error))) {
        await stop()
        throw error
      }
      port = await ports()
    }
  }
  let databases = 0
  return {
    database: async () => {
      const name = `test${++databases}`
      const { error, stderr, status } = spawnSync(
        join(programs, "createdb"),
        ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", name],
        // This process does nothing else meanwhile, not even end a test that takes too long.
        { encoding: "utf8", env, timeout: 60_000 }
      )
      if (status !== 0) throw new Error(`createdb failed: ${error?.message ?? ""} ${stderr}`)
      return `postgresql://postgres:${password}@127.0.0.1:${port}/${name}`
    },
    crash: () => order("crash", ended),
    start: () => order(`start ${port}`, ready),
    stop
  }
}

let shared: Promise<Postgres> | undefined

/** The URL of an empty database, on the one server of the tests of this process. */
export const freshDatabase = async (): Promise<string> => {
  shared ??= startPostgres()
  return (await shared).database()
}
