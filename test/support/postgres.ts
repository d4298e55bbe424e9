/**
 * A real PostgreSQL for tests: the one that is installed, in a temporary folder, on a free port of 127.0.0.1. A shell holds it,
 * which stops the server and removes the folder when this process ends, however it ends.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
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
const settings = [
  "fsync=off",
  "full_page_writes=off",
  "max_connections=200",
  "shared_buffers=32MB",
  "log_min_messages=log"
]

/** `$1` is the folder, `$2` the port. It obeys the lines of its stdin until that ends with the process that started it. */
const keeper = `
start() { postgres -D "$1" -p "$2" -k "$1" -h 127.0.0.1 ${settings.map((setting) => `-c ${setting}`).join(" ")} & server=$!; }
end() { kill -QUIT $server; wait $server; } 2>/dev/null
initdb -D "$1" -U postgres -A scram-sha-256 --pwfile=/dev/stdin -E UTF8 --locale=C --no-sync --no-instructions >/dev/null <<END || exit 1
$PGPASSWORD
END
start "$1" "$2"
while read -r order; do case $order in crash) end; echo crashed;; start) start "$1" "$2";; esac; done
end
rm -rf "$1"
`

/** Starts a server of its own, for a test that ends it. */
export const startPostgres = async (): Promise<Postgres> => {
  if (programs === undefined) throw new Error("No PostgreSQL is installed.")
  const { gid, uid } = user()
  const owner = uid === undefined || gid === undefined ? {} : { uid, gid }
  const folder = mkdtempSync(join(tmpdir(), "effect-speech-postgres-"))
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const port = await freePort()
  const password = randomBytes(12).toString("hex")
  const env = { PGPASSWORD: password, PATH: `${programs}${delimiter}/usr/bin${delimiter}/bin` }
  const shell = spawn("/bin/sh", ["-c", keeper, "sh", folder, String(port)], {
    ...owner,
    cwd: folder,
    detached: true,
    env,
    stdio: "pipe"
  })
  const ended = once(shell, "close")
  // Neither the pipes nor the server keep this process alive. What waits for a line does.
  shell.unref()
  for (const pipe of [shell.stdin, shell.stdout, shell.stderr]) if (pipe instanceof Socket) pipe.unref()
  shell.stdin.on("error", () => {})
  await printed(shell, "ready to accept connections")
  let databases = 0
  return {
    database: async () => {
      const name = `test${++databases}`
      const { stderr, status } = spawnSync(
        join(programs, "createdb"),
        ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", name],
        {
          encoding: "utf8",
          env
        }
      )
      if (status !== 0) throw new Error(`createdb failed: ${stderr}`)
      return `postgresql://postgres:${password}@127.0.0.1:${port}/${name}`
    },
    crash: async () => {
      const crashed = printed(shell, "crashed")
      shell.stdin.write("crash\n")
      await crashed
    },
    start: async () => {
      const ready = printed(shell, "ready to accept connections")
      shell.stdin.write("start\n")
      await ready
    },
    stop: async () => {
      shell.stdin.end()
      shell.ref()
      await ended
    }
  }
}

/** Waits until the server prints this. */
const printed = (shell: ChildProcess, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = ""
    shell.ref()
    const read = (chunk: Buffer) => {
      output += chunk
      if (output.includes(text)) end(resolve)
    }
    const fail = () => end(() => reject(new Error(`PostgreSQL did not start: ${output}`)))
    const end = (answer: () => void) => {
      shell.stdout?.off("data", read)
      shell.stderr?.off("data", read)
      shell.off("close", fail)
      // A full pipe would stop the server.
      shell.stdout?.resume()
      shell.stderr?.resume()
      shell.unref()
      answer()
    }
    shell.stdout?.on("data", read)
    shell.stderr?.on("data", read)
    shell.once("close", fail)
  })

let shared: Promise<Postgres> | undefined

/** The URL of an empty database, on the one server of the tests of this process. */
export const freshDatabase = async (): Promise<string> => {
  shared ??= startPostgres()
  return (await shared).database()
}
