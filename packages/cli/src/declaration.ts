/**
 * The `speech` command, declared once: its commands, options and operands. The parser, the help, the suggestions, the
 * completions and the tables of docs/command are made from it. It imports types alone, so that `speech --help` starts fast.
 */
import {
  archiveExport,
  archivePause,
  archiveRepair,
  archiveResume,
  archiveRetry,
  archiveRun,
  archiveStatus,
  archiveWork
} from "./declaration/archive.js"
import { listenBack } from "./declaration/listenBack.js"
import { models, voices } from "./declaration/models.js"
import { doctor, run, serve } from "./declaration/service.js"
import { commonOptions } from "./declaration/shared.js"
import { synthesize } from "./declaration/synthesize.js"
import { transcribe } from "./declaration/transcribe.js"
import type { Command, Option } from "./option.js"

export { type ArchiveFormat, onlyForRecordings, onlyForTexts } from "./declaration/archive.js"
export { environment, exitStatuses } from "./declaration/manual.js"
export { commonOptions, type LogLevel, type SettingShell, type Shell } from "./declaration/shared.js"
export type { TranscriptFormat } from "./declaration/transcribe.js"

export const summary = "Speak texts and transcribe recordings."

export const commands = {
  synthesize,
  transcribe,
  "listen-back": listenBack,
  "archive run": archiveRun,
  "archive status": archiveStatus,
  "archive pause": archivePause,
  "archive resume": archiveResume,
  "archive retry": archiveRetry,
  "archive export": archiveExport,
  "archive repair": archiveRepair,
  "archive work": archiveWork,
  serve,
  run,
  models,
  voices,
  doctor
}

export type CommandName = keyof typeof commands
export const commandNames = Object.keys(commands) as ReadonlyArray<CommandName>

/** The headings of the help of `speech`, and the commands under each. */
export const commandGroups: ReadonlyArray<readonly [heading: string, names: ReadonlyArray<CommandName>]> = [
  ["Speak and listen", ["synthesize", "transcribe", "listen-back"]],
  ["Many files", commandNames.filter((name) => name.startsWith("archive "))],
  ["Your own service", ["serve", "run"]],
  ["Names and checks", ["models", "voices", "doctor"]]
]

const groupIn = (name: string): string | undefined => (name.includes(" ") ? name.replace(/ .*/, "") : undefined)

/** The first words of commands of two words. */
export const groupNames: ReadonlyArray<string> = [...new Set(commandNames.flatMap((name) => groupIn(name) ?? []))]

/** The first words of all commands. */
export const firstWords: ReadonlyArray<string> = [...new Set(commandNames.map((name) => groupIn(name) ?? name))]

/** The second words of the commands of a group. */
export const secondWords = (group: string): ReadonlyArray<string> =>
  commandNames.flatMap((name) => (groupIn(name) === group ? name.slice(group.length + 1) : []))

type Values<Options> = { readonly [Key in keyof Options]: Options[Key] extends Option<infer A> ? A : never }

/** What the arguments give a command: the value of each option, and the operands. */
export type Given<Name extends CommandName> = Values<(typeof commands)[Name]["options"]> &
  ((typeof commands)[Name] extends { readonly former: infer Former } ? Values<Former> : unknown) & {
    readonly operands: ReadonlyArray<string>
  }

export const commandOf = (name: string | undefined): Command | undefined =>
  commandNames.includes(name as CommandName) ? commands[name as CommandName] : undefined

/** The options of a command, its own first. */
export const optionsOf = (command: Command | undefined): ReadonlyArray<Option<unknown>> => [
  ...Object.values(command?.options ?? {}),
  ...Object.values(commonOptions)
]

/** The options that a command reads: those of earlier versions, too. */
export const readBy = (command: Command | undefined): ReadonlyArray<Option<unknown>> => [
  ...optionsOf(command),
  ...Object.values(command?.former ?? {})
]

/** Every option of any command, each name once. */
export const allOptions: ReadonlyMap<string, Option<unknown>> = new Map(
  [...commandNames.map((name) => commands[name]), undefined].flatMap((command: Command | undefined) =>
    optionsOf(command).map((option) => [option.name, option] as const)
  )
)
