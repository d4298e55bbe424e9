/**
 * Scripts that complete commands, options and values in a shell, from the declaration.
 *
 * | shell | to use it |
 * | ----- | --------- |
 * | bash  | `source <(speech --completions bash)` |
 * | zsh   | `source <(speech --completions zsh)`, after `compinit` |
 * | fish  | `speech --completions fish \| source` |
 */
import {
  allOptions,
  type Command,
  commandNames,
  commands,
  commonOptions,
  optionsOf,
  type Shell
} from "./declaration.js"
import type { Option } from "./option.js"
import { quoteFish, quotePosix } from "./shells.js"

const everyCommand: ReadonlyArray<readonly [string, Command]> = commandNames.map((name) => [name, commands[name]])
const everyOption = [...allOptions.values()]
const words = (options: ReadonlyArray<Option<unknown>>): string => options.map(({ name }) => `--${name}`).join(" ")
const patterns = (options: ReadonlyArray<Option<unknown>>): string => options.map(({ name }) => `--${name}`).join("|")

export const completionScript = (shell: Shell): string => {
  switch (shell) {
    case "bash":
    case "sh":
      return bash()
    case "zsh":
      return zsh()
    case "fish":
      return fish()
  }
}

/** A case of bash, unless no option is meant. */
const when = (options: ReadonlyArray<Option<unknown>>, action: string): ReadonlyArray<string> =>
  options.length === 0 ? [] : [`        ${patterns(options)}) ${action} ;;`]

const completing = (kind: "file" | "command"): ReadonlyArray<string> =>
  everyCommand.flatMap(([name, { operands }]) => (operands?.completes === kind ? name : []))
const takingFiles = completing("file")
const runners = completing("command")

const bash = (): string => {
  const withValue = everyOption.filter(({ value }) => value !== undefined)
  const free = withValue.filter(({ choices, completes }) => choices === undefined && completes === undefined)
  return `# Completions of speech for bash: source <(speech --completions bash)
_speech() {
    # bash splits words at = and : too, so the line is read as the command will read it.
    local line="\${COMP_LINE:0:COMP_POINT}" command="" previous="" word candidates="" dashes=""
    local current="\${line##*[[:space:]]}"
    local -a words
    read -ra words <<< "\${line%"$current"}"
    for word in "\${words[@]:1}"; do
        case "$previous" in
            ${patterns(withValue)}) previous=""; continue ;;
        esac
        if [[ "$word" != -* && -z "$command" ]]; then command="$word"; fi
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
    case "$previous" in
${withValue
  .flatMap((option) => (option.choices === undefined ? [] : when([option], `candidates="${option.choices.join(" ")}"`)))
  .concat(
    when(
      withValue.filter(({ completes }) => completes === "file"),
      "return"
    ),
    when(
      withValue.filter(({ completes }) => completes === "folder"),
      "compopt +o default -o dirnames 2> /dev/null; return"
    ),
    when(free, "compopt +o default 2> /dev/null; return")
  )
  .join("\n")}
        *)
            case "$command" in
                "") candidates="${commandNames.join(" ")} ${words(Object.values(commonOptions))}" ;;
${everyCommand
  .map(([name, command]) => `                ${name}) candidates="${words(optionsOf(command))}" ;;`)
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

const zshText = (text: string): string => text.replace(/[\\:[\]]/g, "\\$&")

const zshOption = ({ choices, completes, description, isRepeatable, name, value }: Option<unknown>): string => {
  const option = `${isRepeatable ? "*" : ""}--${name}${value === undefined ? "" : "="}[${zshText(description)}]`
  if (value === undefined) return quotePosix(option)
  const action =
    choices === undefined
      ? { file: "_files", folder: "_files -/", none: " " }[completes ?? "none"]
      : `(${choices.map(zshText).join(" ")})`
  return quotePosix(`${option}:${zshText(value)}:${action}`)
}

const zshOperands = ({ operands }: Command): ReadonlyArray<string> => {
  if (operands === undefined) return []
  const { completes = "none", max, name } = operands
  const places = completes === "command" ? "*::" : max === 1 ? "1" : "*"
  return [quotePosix(`${places}:${name}:${{ file: "_files", command: "_normal", none: " " }[completes]}`)]
}

const zsh = (): string => {
  const call = (indent: string, ...specifications: ReadonlyArray<string>) =>
    ["_arguments", ...specifications].join(` \\\n${indent}    `)
  const described = everyCommand.map(([name, { summary }]) => quotePosix(`${name}:${summary.replaceAll(":", "\\:")}`))
  return `#compdef speech
# Completions of speech for zsh: source <(speech --completions zsh), after compinit
_speech() {
    local curcontext="$curcontext" state line
    typeset -A opt_args
    ${call("    ", "-C", ...Object.values(commonOptions).map(zshOption), "'1:command:->command'", "'*::argument:->argument'")}
    case $state in
    command)
        local -a commands=(${described.join(" ")})
        _describe command commands
        ;;
    argument)
        case $line[1] in
${everyCommand
  .map(([name, command]) => {
    const noOptionsAfterDashes = command.operands?.followDashes === true ? ["-S"] : []
    const specifications = [...noOptionsAfterDashes, ...optionsOf(command).map(zshOption), ...zshOperands(command)]
    return `        ${name})\n            ${call("            ", ...specifications)}\n            ;;`
  })
  .join("\n")}
        esac
        ;;
    esac
}
if [ "$funcstack[1]" = _speech ]; then _speech "$@"; else compdef _speech speech; fi
`
}

const fish = (): string => {
  const optionLine = (condition: string, option: Option<unknown>): string => {
    const { choices, completes, description, name, value } = option
    const argument =
      value === undefined
        ? ""
        : choices !== undefined
          ? ` -xa ${quoteFish(choices.join(" "))}`
          : { file: " -rF", folder: " -xa '(__fish_complete_directories)'", none: " -x" }[completes ?? "none"]
    return `complete -c speech${condition} -l ${name}${argument} -d ${quoteFish(description)}`
  }
  return `# Completions of speech for fish: speech --completions fish | source
complete -c speech -f
${Object.values(commonOptions)
  .map((option) => optionLine("", option))
  .join("\n")}
${everyCommand
  .map(
    ([name, { summary }]) =>
      `complete -c speech -n 'not __fish_seen_subcommand_from ${commandNames.join(" ")}' -a ${name} -d ${quoteFish(summary)}`
  )
  .join("\n")}
${everyCommand
  .flatMap(([name, { operands, options }]) => {
    const condition = ` -n '__fish_seen_subcommand_from ${name}'`
    return [
      ...Object.values(options).map((option) => optionLine(condition, option)),
      ...(operands?.completes === "file" ? [`complete -c speech${condition} -F`] : []),
      ...(operands?.completes === "command"
        ? [
            `complete -c speech -n '__fish_seen_subcommand_from ${name}; and contains -- -- (commandline -opc)' -xa ${quoteFish("(complete -C (commandline -cp | string replace -r '^.*? -- ' ''))")}`
          ]
        : [])
    ]
  })
  .join("\n")}
`
}
