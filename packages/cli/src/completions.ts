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

const bash = (): string => {
  const withValue = everyOption.filter(({ value }) => value !== undefined)
  const free = withValue.filter(({ choices, completes }) => choices === undefined && completes === undefined)
  return `# Completions of speech for bash: source <(speech --completions bash)
_speech() {
    # bash splits words at = and : too, so the line is read as the command will read it.
    local line="\${COMP_LINE:0:COMP_POINT}" command="" previous="" word candidates=""
    local current="\${line##*[[:space:]]}"
    local -a words
    read -ra words <<< "\${line%"$current"}"
    for word in "\${words[@]:1}"; do
        case "$previous" in
            ${patterns(withValue)}) previous=""; continue ;;
        esac
        if [[ "$word" != -* && -z "$command" ]]; then command="$word"; fi
        previous="$word"
    done
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
                ${everyCommand.flatMap(([name, { operands }]) => (operands?.completes === undefined ? [] : `${name},-*`)).join("|")}) ;;
                ${everyCommand.flatMap(([name, { operands }]) => (operands?.completes === undefined ? [] : `${name},*`)).join("|")}) return ;;
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

const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const zshText = (text: string): string => text.replace(/[\\:[\]]/g, "\\$&")

const zshOption = ({ choices, completes, description, isRepeatable, name, value }: Option<unknown>): string => {
  const option = `${isRepeatable ? "*" : ""}--${name}${value === undefined ? "" : "="}[${zshText(description)}]`
  if (value === undefined) return inQuotes(option)
  const action =
    choices === undefined
      ? { file: "_files", folder: "_files -/", none: " " }[completes ?? "none"]
      : `(${choices.map(zshText).join(" ")})`
  return inQuotes(`${option}:${zshText(value)}:${action}`)
}

const zshOperands = ({ operands }: Command): ReadonlyArray<string> =>
  operands === undefined
    ? []
    : [
        inQuotes(
          `${operands.max === 1 ? "1" : "*"}:${operands.name}:${operands.completes === undefined ? " " : "_files"}`
        )
      ]

const zsh = (): string => {
  const call = (indent: string, ...specifications: ReadonlyArray<string>) =>
    ["_arguments", ...specifications].join(` \\\n${indent}    `)
  const described = everyCommand.map(([name, { summary }]) => inQuotes(`${name}:${summary.replaceAll(":", "\\:")}`))
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
    const specifications = [...optionsOf(command).map(zshOption), ...zshOperands(command)]
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
  const quote = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`
  const optionLine = (condition: string, option: Option<unknown>): string => {
    const { choices, completes, description, name, value } = option
    const argument =
      value === undefined
        ? ""
        : choices !== undefined
          ? ` -xa ${quote(choices.join(" "))}`
          : { file: " -rF", folder: " -xa '(__fish_complete_directories)'", none: " -x" }[completes ?? "none"]
    return `complete -c speech${condition} -l ${name}${argument} -d ${quote(description)}`
  }
  return `# Completions of speech for fish: speech --completions fish | source
complete -c speech -f
${Object.values(commonOptions)
  .map((option) => optionLine("", option))
  .join("\n")}
${everyCommand
  .map(
    ([name, { summary }]) =>
      `complete -c speech -n 'not __fish_seen_subcommand_from ${commandNames.join(" ")}' -a ${name} -d ${quote(summary)}`
  )
  .join("\n")}
${everyCommand
  .flatMap(([name, { operands, options }]) => {
    const condition = ` -n '__fish_seen_subcommand_from ${name}'`
    return [
      ...Object.values(options).map((option) => optionLine(condition, option)),
      ...(operands?.completes === "file" ? [`complete -c speech${condition} -F`] : [])
    ]
  })
  .join("\n")}
`
}
