/**
 * The commands that run a service on this machine, and the one that checks the settings.
 */
import { type Command, flag, group, number, oneOf, optional, repeatable, text } from "../option.js"
import { allowInsecureHttp, dotenv, json, settingShells } from "./shared.js"

const port = (inWords: string) =>
  optional(
    "--port N",
    number({ integer: true }),
    "Port of transcription. Synthesis has the next port, and the platform the one after it. With 0, the system chooses three free ports.",
    { default: inWords }
  )

/** The options of the service on this machine. */
const service = {
  ...group("Ports and network", {
    port: port("0"),
    host: optional("--host ADDRESS", text, "Address to listen on, such as 0.0.0.0 in a container.", {
      default: "127.0.0.1, which only this machine can reach"
    }),
    hostNames: repeatable("--host-name NAME", text, "Name by which other machines reach this one.")
  }),
  ...group("Data", {
    dataDir: optional("--data-dir FOLDER", text, "Keep the key, credit and usage in this folder for the next start.", {
      default: "they are lost at the end",
      completes: "folder"
    }),
    newKey: flag("--new-key", "Create a new key in --data-dir, and revoke the old one."),
    credits: optional("--credits N", number(), "Credit of a new account.", { default: "1,000,000" })
  }),
  ...group("Recordings and models", {
    recordings: optional(
      "--recordings FOLDER",
      text,
      "Recordings to recognise: NAME.wav, with its words in NAME.srt, NAME.vtt or NAME.txt. A subfolder hi is for Hindi models only.",
      { completes: "folder" }
    ),
    capacity: optional(
      "--capacity HOURS",
      number(),
      "Hours of speech and recordings to remember. The oldest are forgotten first. An hour takes 64 MB.",
      { default: "2" }
    ),
    models: optional(
      "--models FOLDER",
      text,
      "Speak and transcribe with your own models. It needs the package sherpa-onnx-node.",
      { completes: "folder" }
    ),
    threads: optional(
      "--threads N",
      number({ from: 1, to: 256, integer: true }),
      "Threads of each model, unless its model.json says how many.",
      { default: "half of the cores, at most 4" }
    ),
    queue: optional(
      "--queue N",
      number({ from: 0, to: 100_000, integer: true }),
      "Most requests that wait for a model. Others fail with 503 and Retry-After, a synthesis with 502.",
      { default: "128" }
    ),
    preload: flag("--preload", "Load all models at the start. Default: each at its first request."),
    idle: optional("--idle MINUTES", number({ above: 0 }), "Unload a model after this time without a request.", {
      default: "it stays loaded"
    })
  }),
  ...group("Record and replay", {
    record: optional(
      "--record FOLDER",
      text,
      "Forward each request to the service of your environment, and keep it with its response in this folder.",
      { completes: "folder" }
    ),
    replay: optional("--replay FOLDER", text, "Respond with what --record kept in this folder. Send nothing.", {
      completes: "folder"
    })
  }),
  ...group("Faults", {
    faults: optional("--faults FILE", text, "Make requests fail as this JSON file says.", { completes: "file" }),
    faultsReport: optional(
      "--faults-report FILE",
      text,
      "Write to this file what the clients did after each fault, as JSON.",
      { completes: "file" }
    )
  })
}

export const serve = {
  summary: "Run the service on this machine.",
  details:
    "It needs no account and no network, and makes a key of its own. It prints the settings for other programs, and a link to its console.",
  examples: [
    "speech serve",
    "speech serve --data-dir speech-data --dotenv .env",
    "speech serve --open",
    "speech serve --port 8100",
    "speech serve --models models",
    "speech serve --record exchanges"
  ],
  options: {
    ...service,
    ...group("Ports and network", { port: port("7800; if it is in use, 0") }),
    ...group("Output", {
      settingsFile: optional(
        "--dotenv FILE",
        text,
        "Write the settings into this file, such as .env. Its other lines stay.",
        {
          completes: "file"
        }
      ),
      open: flag("--open", "Open the console in your browser."),
      shell: oneOf("--shell SHELL", settingShells, "Shell for which to print the settings.", {
        default: "the one in SHELL; on Windows, the one that runs the command"
      }),
      json
    })
  },
  mostUsed: ["dataDir", "settingsFile", "open", "port", "recordings", "models", "faults", "record", "replay", "json"]
} satisfies Command

export const run = {
  summary: "Run a command, such as your tests, with its own service.",
  details: "The command gets the settings of the service in its environment. The service ends with it.",
  examples: [
    "speech run -- npm test",
    "speech run --faults outage.json -- npm test",
    "speech run --credits 100 --recordings calls -- node app.js",
    "speech run --replay exchanges -- npm test"
  ],
  operands: {
    name: "COMMAND…",
    description: "Command and its arguments, after --.",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    completes: "command",
    followDashes: true
  },
  options: service,
  mostUsed: ["faults", "faultsReport", "recordings", "models", "record", "replay", "credits", "dataDir", "port"]
} satisfies Command

export const doctor = {
  summary: "Check the settings, both hosts and the key.",
  details: "It sends each host a request that every service refuses, so it costs no credit.",
  examples: ["speech doctor", "speech doctor --json"],
  options: { dotenv, allowInsecureHttp, json }
} satisfies Command
