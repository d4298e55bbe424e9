/**
 * The commands that run a service on this machine, and the one that checks the settings.
 */
import { type Command, flag, number, oneOf, optional, repeatable, text } from "../option.js"
import { allowInsecureHttp, json, settingShells } from "./shared.js"

/** The options of the service on this machine. */
const service = {
  port: optional(
    "--port N",
    number({ integer: true }),
    "Port of transcription. Synthesis and the platform use the next two.",
    { default: "any three free ports" }
  ),
  host: optional("--host ADDRESS", text, "Address to listen on, such as 0.0.0.0 in a container.", {
    default: "127.0.0.1, for this machine only"
  }),
  hostNames: repeatable("--host-name NAME", text, "Name that other machines use for this one."),
  credits: optional("--credits N", number(), "Credit of the account at the start.", { default: "1,000,000" }),
  dataDir: optional(
    "--data-dir FOLDER",
    text,
    "Keep keys, credit and usage in this folder. It is created if it does not exist.",
    { default: "they are lost when the service ends", completes: "folder" }
  ),
  newKey: flag("--new-key", "Create a key and revoke the key of --data-dir. A key is shown once."),
  recordings: optional(
    "--recordings FOLDER",
    text,
    "Folder of recordings to recognise: NAME.wav, with its words in NAME.srt, NAME.vtt or NAME.txt. A subfolder hi is for Hindi models only.",
    { completes: "folder" }
  ),
  capacity: optional(
    "--capacity HOURS",
    number(),
    "Hours of speech and recordings to recognise. If there are more, the oldest are forgotten. An hour takes 64 MB.",
    { default: "2" }
  ),
  models: optional(
    "--models FOLDER",
    text,
    "Folder of your own models. Its voices replace the built-in voice, and its recognisers the built-in recogniser. It is read at the start, and needs the package sherpa-onnx-node.",
    { completes: "folder" }
  ),
  threads: optional(
    "--threads N",
    number({ from: 1, to: 256, integer: true }),
    "Threads of each model, unless its model.json says how many.",
    { default: "the cores, at most 4" }
  ),
  queue: optional(
    "--queue N",
    number({ from: 0, to: 100_000, integer: true }),
    "Requests that may wait for a model. Others fail with 503, for a synthesis 502, and the time to come again.",
    { default: "128" }
  ),
  preload: flag("--preload", "Load all models at the start, instead of each at its first request."),
  idle: optional("--idle MINUTES", number({ above: 0 }), "Unload a model that had no request for so long.", {
    default: "it stays loaded"
  }),
  record: optional(
    "--record FOLDER",
    text,
    "Forward each request to the service that the environment names, and keep it with its response in this folder.",
    { completes: "folder" }
  ),
  replay: optional("--replay FOLDER", text, "Respond from the exchanges of --record in this folder. Nothing is sent.", {
    completes: "folder"
  }),
  faults: optional("--faults FILE", text, "JSON file of faults. At the end, a table says what the clients did.", {
    completes: "file"
  }),
  faultsReport: optional(
    "--faults-report FILE",
    text,
    "Write what the clients did after each fault to this file, as JSON.",
    {
      completes: "file"
    }
  )
}

export const serve = {
  summary: "Run the service on this machine: no network, no key, no credit.",
  examples: [
    "speech serve",
    "speech serve --open",
    "speech serve --port 8100 --data-dir speech-data",
    "speech serve --models models",
    "speech serve --record exchanges"
  ],
  options: {
    ...service,
    shell: oneOf("--shell SHELL", settingShells, "Shell for which to print the lines that set the environment.", {
      default: "the one in SHELL; on Windows, the one that runs the command"
    }),
    open: flag("--open", "Open the console in your browser."),
    json
  }
} satisfies Command

export const run = {
  summary: "Run a command with a service of its own on this machine.",
  examples: [
    "speech run -- npm test",
    "speech run --faults outage.json -- npm test",
    "speech run --credits 100 --recordings calls -- node app.js",
    "speech run --replay exchanges -- npm test"
  ],
  operands: {
    name: "COMMAND…",
    description: "Command and its arguments, after --. The service ends with it.",
    min: 1,
    max: Number.POSITIVE_INFINITY,
    completes: "command",
    followDashes: true
  },
  options: service
} satisfies Command

export const doctor = {
  summary: "Check the settings, both hosts and the key. It costs no credit.",
  examples: ["speech doctor"],
  options: { allowInsecureHttp, json }
} satisfies Command
