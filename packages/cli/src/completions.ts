/**
 * Scripts that complete commands, options and values in a shell, from the declaration.
 *
 * | shell | to use it |
 * | ----- | --------- |
 * | bash  | `source <(speech --completions bash)` |
 * | zsh   | `source <(speech --completions zsh)`, after `compinit` |
 * | fish  | `speech --completions fish \| source` |
 *
 * A script holds all words, so a Tab starts no process. The libraries for this, such as `@bomb.sh/tab` and `omelette`, start the
 * command at each Tab. The names that a service offers are read from the files of `completedNames.ts`.
 */
import {
  allOptions,
  commandNames,
  commandOf,
  commands,
  commonOptions,
  firstWords,
  groupNames,
  optionsOf,
  type Shell,
  secondWords
} from "./declaration.js"
import type { Command, NameKind, Option } from "./option.js"
import { quoteFish, quotePosix } from "./shells.js"

const everyCommand: ReadonlyArray<readonly [string, Command]> = commandNames.map((name) => [name, commands[name]])
const everyOption = [...allOptions.values()]
const common = Object.values(commonOptions)
const words = (options: ReadonlyArray<Option<unknown>>): string => options.map(({ name }) => `--${name}`).join(" ")

/** An option as it may be written: `--out`, and `-o` if it has a short form. */
const formsOf = ({ name, short }: Option<unknown>): ReadonlyArray<string> => [
  `--${name}`,
  ...(short === undefined ? [] : [`-${short}`])
]

/** A name as a shell takes it: one with a space needs quotes. */
const quoted = (name: string): string => (name.includes(" ") ? `"${name}"` : name)

export const completionScript = (shell: Shell): string => {
  switch (shell) {
    case "bash":
      return bash()
    case "zsh":
      return zsh()
    case "fish":
      return fish()
  }
}

const completing = (kind: "file" | "command"): ReadonlyArray<string> =>
  everyCommand.flatMap(([name, { operands }]) => (operands?.completes === kind ? name : []))
const takingFiles = completing("file").map(quoted)
const runners = completing("command")

/** The kind of the names, and the address of the service that offers them, as a shell reads it. */
const addressOf = (kind: NameKind): string => `${kind} "$SPEECH_${kind === "models" ? "STT" : "TTS"}_BASE_URL"`

/** The folder of the files of names. */
const namesFolder = `\${XDG_CACHE_HOME:-\${LOCALAPPDATA:-$HOME/.cache}}/effect-speech`

/** What bash does for the value of an option. */
const bashAction = ({ choices, completes }: Option<unknown>): string => {
  if (choices !== undefined) return `candidates="${choices.join(" ")}"`
  if (completes === "folder") return "compopt +o default -o dirnames 2> /dev/null; return"
  if (completes === "file") return "return"
  return completes === undefined
    ? "compopt +o default 2> /dev/null; return"
    : `candidates="$(_speech_names ${addressOf(completes)})"`
}

/** The cases of bash for the values of options, such as `"transcribe --format"`. Two commands may have different ones. */
const bashValues = (): string => {
  const cases = new Map<string, Array<string>>()
  const add = (pattern: string, option: Option<unknown>) => {
    if (option.value === undefined) return
    const action = bashAction(option)
    cases.set(action, [...(cases.get(action) ?? []), pattern])
  }
  for (const [name, command] of everyCommand) {
    for (const option of Object.values<Option<unknown>>(command.options)) {
      for (const form of formsOf(option)) add(`"${name} ${form}"`, option)
    }
  }
  for (const option of common) add(`*" --${option.name}"`, option)
  return Array.from(cases, ([action, patterns]) => `        ${patterns.join("|")}) ${action} ;;`).join("\n")
}

const bash = (): string => {
  const withValue = everyOption.filter(({ value }) => value !== undefined)
  const groups = groupNames.join("|")
  return `# Completions of speech for bash: source <(speech --completions bash)
# The names that speech models and speech voices listed. The command keeps only those that hold nothing a shell would run.
_speech_names() {
    { echo "$(< "${namesFolder}/$1@\${2//[^A-Za-z0-9]/-}")"; } 2> /dev/null
}
_speech() {
    # bash splits words at = and : too, so the line is read as the command will read it.
    local line="\${COMP_LINE:0:COMP_POINT}" command="" previous="" word candidates="" dashes=""
    local current="\${line##*[[:space:]]}"
    local -a words
    read -ra words <<< "\${line%"$current"}"
    for word in "\${words[@]:1}"; do
        case "$previous" in
            ${withValue.flatMap(formsOf).join("|")}) previous=""; continue ;;
        esac
        if [[ "$word" != -* ]]; then
            case "$command" in
                "") command="$word" ;;
                help|${groups}|${groupNames.map((group) => `"help ${group}"`).join("|")}) command="$command $word" ;;
            esac
        fi
        # After -- comes a command, then its arguments.
        if [[ "$dashes" ]]; then return; fi
        case "$command $word" in
            ${runners.map((name) => `"${name} --"`).join("|")}) dashes=1 ;;
        esac
        previous="$word"
    done
    if [[ "$dashes" ]]; then
        COMPREPLY=($(compgen -c -- "$current"))
        return
    fi
    local value="$current"
    if [[ "$current" == --*=* ]]; then
        previous="\${current%%=*}"
        value="\${current#*=}"
    fi
    COMPREPLY=()
    case "$command $previous" in
${bashValues()}
        *)
            case "$command" in
                "") candidates="${firstWords.join(" ")} help ${words(common)}" ;;
                help) candidates="${firstWords.join(" ")}" ;;
${groupNames.map((group) => `                "help ${group}") candidates="${secondWords(group).join(" ")}" ;;`).join("\n")}
${groupNames
  .map((group) => `                ${group}) candidates="${secondWords(group).join(" ")} ${words(common)}" ;;`)
  .join("\n")}
${everyCommand
  .map(([name, command]) => `                ${quoted(name)}) candidates="${words(optionsOf(command))}" ;;`)
  .join("\n")}
            esac
            # Without a dash it is a file, where the command takes any.
            case "$command,$current" in
                ${takingFiles.map((name) => `${name},-*`).join("|")}) ;;
                ${takingFiles.map((name) => `${name},*`).join("|")}) return ;;
            esac
            ;;
    esac
    compopt +o default 2> /dev/null
    local IFS=$' \\t\\n'
    COMPREPLY=($(compgen -W "$candidates" -- "$value"))
    # bash replaces only what follows its last word break.
    if [[ "$value" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        COMPREPLY=("\${COMPREPLY[@]#"\${value%"\${value##*:}"}"}")
    fi
}
complete -o bashdefault -o default -F _speech speech
`
}

const zshText = (text: string): string => text.replace(/[\\:[\]]/g, "$&")

const zshAction = (completes: Option<unknown>["completes"]): string => {
  if (completes === undefined) return " "
  if (completes === "folder") return "_files -/"
  return completes === "file" ? "_files" : `_speech_names ${completes}`
}

/** An option for zsh, and its short form: either excludes the other. */
const zshOption = (option: Option<unknown>): ReadonlyArray<string> => {
  const { choices, completes, description, isRepeatable, name, short, value } = option
  const action = choices === undefined ? zshAction(completes) : `(${choices.map(zshText).join(" ")})`
  const rest = `[${zshText(description)}]${value === undefined ? "" : `:${zshText(value)}:${action}`}`
  const before = isRepeatable ? "*" : short === undefined ? "" : `(${formsOf(option).join(" ")})`
  return [
    quotePosix(`${before}--${name}${value === undefined ? "" : "="}${rest}`),
    ...(short === undefined ? [] : [quotePosix(`${before}-${short}${rest}`)])
  ]
}

const zshOperands = ({ operands }: Command): ReadonlyArray<string> => {
  if (operands === undefined) return []
  const { completes = "none", max, name } = operands
  const places = completes === "command" ? "*::" : max === 1 ? "1" : "*"
  return [quotePosix(`${places}:${name}:${{ file: "_files", command: "_normal", none: " " }[completes]}`)]
}

/** `speech help` with the name of a command. */
const zshHelp: ZshCommand = {
  name: "help",
  summary: "Print the help of a command.",
  rest: (indent) =>
    zshArguments(indent, [
      `'1:command:(${firstWords.join(" ")})'`,
      `'2:command:(${groupNames.flatMap(secondWords).join(" ")})'`
    ])
}

/** The commands of zsh after a first word, or the first words: a name, a sentence, and the code that completes the rest. */
interface ZshCommand {
  readonly name: string
  readonly summary: string
  readonly rest: (indent: string) => string
}

const zshCommand = (name: string, full: string): ZshCommand => {
  const command = commandOf(full)
  if (command === undefined) {
    return {
      name,
      summary: `${secondWords(full).join(", ")}`,
      rest: (indent) => zshLevel(indent, full, subCommands(full))
    }
  }
  const noOptionsAfterDashes = command.operands?.followDashes === true ? ["-S"] : []
  const specifications = [...noOptionsAfterDashes, ...optionsOf(command).flatMap(zshOption), ...zshOperands(command)]
  return { name, summary: command.summary, rest: (indent) => zshArguments(indent, specifications) }
}

const subCommands = (group: string): ReadonlyArray<ZshCommand> =>
  secondWords(group).map((word) => zshCommand(word, `${group} ${word}`))

const zshArguments = (indent: string, specifications: ReadonlyArray<string>): string =>
  `${indent}${["_arguments", ...specifications].join(` \\\n${indent}    `)}`

/** Completes a command by its name, and then its own arguments. Each level has states of its own. */
const zshLevel = (indent: string, state: string, level: ReadonlyArray<ZshCommand>): string => {
  const described = level.map(({ name, summary }) => quotePosix(`${name}:${summary.replaceAll(":", "\\:")}`))
  return `${zshArguments(indent, ["-C", ...common.flatMap(zshOption), `'1:command:->${state}'`, `'*::argument:->${state}-argument'`])}
${indent}case $state in
${indent}${state})
${indent}    local -a ${state}s=(${described.join(" ")})
${indent}    _describe command ${state}s
${indent}    ;;
${indent}${state}-argument)
${indent}    case $line[1] in
${level.map(({ name, rest }) => `${indent}    ${name})\n${rest(`${indent}        `)}\n${indent}        ;;`).join("\n")}
${indent}    esac
${indent}    ;;
${indent}esac`
}

const zsh = (): string => `#compdef speech
# Completions of speech for zsh: source <(speech --completions zsh), after compinit
_speech_names() {
    local address="$SPEECH_TTS_BASE_URL"
    [[ "$1" == models ]] && address="$SPEECH_STT_BASE_URL"
    local file="${namesFolder}/$1@\${address//[^A-Za-z0-9]/-}"
    local -a names
    [[ -r "$file" ]] && names=("\${(@f)$(<"$file")}")
    compadd -a names
}
_speech() {
    local curcontext="$curcontext" state line
    typeset -A opt_args
${zshLevel("    ", "command", [...firstWords.map((word) => zshCommand(word, word)), zshHelp])}
}
if [ "$funcstack[1]" = _speech ]; then _speech "$@"; else compdef _speech speech; fi
`

const fishArgument = (completes: Option<unknown>["completes"]): string => {
  if (completes === undefined) return " -x"
  if (completes === "folder") return " -xa '(__fish_complete_directories)'"
  return completes === "file" ? " -rF" : ` -xa '(__speech_names ${addressOf(completes)})'`
}

const fish = (): string => {
  const optionLine = (condition: string, option: Option<unknown>): string => {
    const { choices, completes, description, name, short, value } = option
    const letter = short === undefined ? "" : ` -s ${short}`
    const argument =
      value === undefined
        ? ""
        : choices !== undefined
          ? ` -xa ${quoteFish(choices.join(" "))}`
          : fishArgument(completes)
    return `complete -c speech${condition} -l ${name}${letter}${argument} -d ${quoteFish(description)}`
  }
  /** Two commands may have the same last word. */
  const seen = (name: string): string => {
    const [first = "", second] = name.split(" ")
    const isSecond = groupNames.flatMap(secondWords).includes(first)
    return [
      `__fish_seen_subcommand_from ${first}`,
      ...(second === undefined ? [] : [`__fish_seen_subcommand_from ${second}`]),
      ...(isSecond ? [`not __fish_seen_subcommand_from ${groupNames.join(" ")}`] : [])
    ].join("; and ")
  }
  const commandLine = (condition: string, word: string, summary: string): string =>
    `complete -c speech -n '${condition}' -a ${word} -d ${quoteFish(summary)}`
  const summaryOf = (name: string): string => commandOf(name)?.summary ?? secondWords(name).join(", ")
  return `# Completions of speech for fish: speech --completions fish | source
function __speech_names
    set -l folder $HOME/.cache
    set -q LOCALAPPDATA; and set folder $LOCALAPPDATA
    set -q XDG_CACHE_HOME; and set folder $XDG_CACHE_HOME
    set -l file $folder/effect-speech/$argv[1]@(string replace -ar '[^A-Za-z0-9]' '-' -- $argv[2])
    test -r $file; and while read -l name; echo $name; end < $file
end
complete -c speech -f
${common.map((option) => optionLine("", option)).join("\n")}
${firstWords
  .map((word) => commandLine(`not __fish_seen_subcommand_from ${firstWords.join(" ")}`, word, summaryOf(word)))
  .join("\n")}
${commandLine(`not __fish_seen_subcommand_from ${firstWords.join(" ")} help`, "help", "Print the help of a command.")}
${firstWords.map((word) => commandLine(`__fish_seen_subcommand_from help; and not __fish_seen_subcommand_from ${firstWords.join(" ")}`, word, summaryOf(word))).join("\n")}
${groupNames
  .flatMap((group) => {
    const condition = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${secondWords(group).join(" ")}`
    return secondWords(group).map((word) => commandLine(condition, word, summaryOf(`${group} ${word}`)))
  })
  .join("\n")}
${everyCommand
  .flatMap(([name, { operands, options }]) => {
    const condition = ` -n '${seen(name)}'`
    return [
      ...Object.values(options).map((option) => optionLine(condition, option)),
      ...(operands?.completes === "file" ? [`complete -c speech${condition} -F`] : []),
      ...(operands?.completes === "command"
        ? [
            `complete -c speech -n '${seen(name)}; and contains -- -- (commandline -opc)' -xa ${quoteFish("(complete -C (commandline -cp | string replace -r '^.*? -- ' ''))")}`
          ]
        : [])
    ]
  })
  .join("\n")}
`
}
