/**
 * Suggests what a wrong word means: by a table of the habits of other programs, or as the word that a misspelt one most likely is. The usual libraries, such as `fastest-levenshtein`, count two letters in
 * the wrong order as two mistakes, so that `--modle` would be too far from `--model`.
 */

/** How many letters to insert, delete, replace or swap with their neighbour to get from one word to the other. */
const editDistance = (from: string, to: string): number => {
  const rows: Array<Array<number>> = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row += 1) {
    const distances = [row]
    rows.push(distances)
    for (let column = 1; column <= to.length; column += 1) {
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      distances.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1),
          isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY
        )
      )
    }
  }
  return at(from.length, to.length)
}

const letters = (word: string): string => word.toLowerCase().replace(/^-+/, "")

/** Whether a name begins with the word, is at least half of it, such as `out` of `output`, or has it as a part. */
const isRelated = (word: string, name: string): boolean =>
  name.startsWith(word) ||
  (name.length > 2 && word.startsWith(name) && name.length * 2 >= word.length) ||
  name.split("-").includes(word)

/** Returns one or two candidates that are related. */
export const suggestRelated = (given: string, candidates: ReadonlyArray<string>): string | undefined => {
  const related = candidates.filter((candidate) => isRelated(letters(given), letters(candidate)))
  return related.length === 1 || related.length === 2 ? related.join(" or ") : undefined
}

/**
 * Returns the candidate itself, or one or two that are related, or else the closest one. Allows one wrong letter in three,
 * at least one.
 */
export const suggest = (given: string, candidates: ReadonlyArray<string>): string | undefined => {
  const word = letters(given)
  const same = candidates.find((candidate) => letters(candidate) === word)
  if (same !== undefined) return same
  const related = suggestRelated(word, candidates)
  if (related !== undefined) return related
  const limit = Math.max(1, Math.floor(word.length / 3))
  const [closest] = candidates
    // The distance is at least the difference of the lengths, so a long text is compared with nothing.
    .filter((candidate) => Math.abs(letters(candidate).length - word.length) <= limit)
    .map((candidate) => ({ candidate, distance: editDistance(word, letters(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance)
  return closest?.candidate
}

/** Words that name a command in other programs, and what to say of them. */
const commandHabits: ReadonlyArray<readonly [words: string, advice: string]> = [
  ["say speak tts tss synth generate", "Did you mean synthesize?"],
  ["stt asr listen recognize recognise whisper dictate", "Did you mean transcribe?"],
  ["subtitle subtitles captions srt", "Use speech transcribe FILE --model NAME --format srt."],
  ["list ls list-models list-voices languages", "Use speech models, or speech voices."],
  ["server start up mock", "Did you mean serve?"],
  ["check status ping diagnose", "Did you mean doctor?"],
  ["exec with", "Use speech run -- COMMAND."],
  ["batch bulk convert", "Use speech archive run SOURCE --out DIR."],
  ["play", "Use speech synthesize TEXT --play."],
  ["login auth config configure init", "Set the variables that speech serve prints. Check them with speech doctor."],
  ["man manual", "Use speech --help --man: it prints the manual page."],
  ["key keys api-key", "Set SPEECH_API_KEY in the environment. For a key of your own service: speech serve."],
  ["completion completions", "Use speech --completions bash, zsh or fish."]
]

/** What to say of a word that is a command of other programs. */
export const commandHabit = (word: string): string | undefined =>
  commandHabits.find(([words]) => words.split(" ").includes(word.toLowerCase()))?.[1]

interface OptionHabit {
  /** Names of options in other programs, without their dashes. */
  readonly words: string
  /** The options that they may mean. Of these, the first one that the command has is suggested. */
  readonly means?: ReadonlyArray<string>
  /** What to say for a command; `else` for any other. */
  readonly advice?: Readonly<Record<string, string>>
}

const inOperand = "Give FILE without it."
const keyAdvice = "Set SPEECH_API_KEY in the environment: other users can see a command line."
const dotenvAdvice =
  "Give the file with --dotenv: Node 20 reads --env-file itself, and obeys its NODE_OPTIONS, before this command starts."
const addressAdvice = "Set SPEECH_STT_BASE_URL and SPEECH_TTS_BASE_URL in the environment."

const optionHabits: ReadonlyArray<OptionHabit> = [
  { words: "key api-key apikey token api-token k", advice: { else: keyAdvice } },
  { words: "url base-url api-url endpoint server", advice: { else: addressAdvice } },
  {
    words: "i in input input-file file f source",
    means: ["text-file"],
    advice: {
      transcribe: inOperand,
      "listen-back": "Give FOLDER without it.",
      "archive run": "Give SOURCE without it."
    }
  },
  {
    words: "o out output output-file outfile",
    means: ["out"],
    advice: {
      transcribe: "It prints the transcript: add > FILE, or write a file for each recording with --out-dir DIR."
    }
  },
  { words: "output-dir outdir output-directory d dir", means: ["out-dir", "out"] },
  {
    words: "l lang language locale source-language",
    means: ["lang"],
    advice: {
      transcribe: "The model decides the language: speech models lists both.",
      "listen-back": "The model decides the language."
    }
  },
  {
    words: "m model",
    means: ["model"],
    advice: { synthesize: "The language decides the model: give --lang and --voice." }
  },
  { words: "voice-id voice-name speaker", means: ["voice"] },
  { words: "f format file-format", means: ["output-format", "format"] },
  {
    words: "ar r sample-rate rate encoding codec c:a",
    means: ["output-format"],
    advice: { transcribe: "Any sample rate is read. --telephony sends 8 kHz." }
  },
  { words: "srt vtt subtitles captions", advice: { transcribe: "Use --format srt or --format vtt." } },
  { words: "timestamps word-timestamps segments", advice: { transcribe: "Use --aux --json, or --format srt." } },
  { words: "y overwrite force n no-clobber", advice: { else: "An output file that exists is replaced." } },
  { words: "j jobs parallel workers", means: ["concurrency"] },
  { words: "max-time deadline", means: ["timeout"] },
  { words: "silent s", means: ["quiet"] },
  { words: "V", means: ["version"] },
  { words: "debug loglevel", means: ["verbose"] },
  { words: "list-voices list-languages voices", advice: { else: "Use speech voices." } },
  { words: "list-models models", advice: { else: "Use speech models." } },
  { words: "stdin", means: ["text-file"], advice: { transcribe: "Give - for standard input." } },
  { words: "env-file env-file-if-exists", advice: { else: dotenvAdvice } },
  {
    words: "config profile",
    advice: { else: "The settings are variables of the environment. Check them with speech doctor." }
  }
]

/**
 * What to say of an option of other programs, for a command and its options. `word` is as it is written; a letter counts
 * with its case, since `-V` is none of `-v`.
 */
export const optionHabit = (
  word: string,
  command: string | undefined,
  options: ReadonlyArray<string>
): string | undefined => {
  const name = word.replace(/^-+/, "")
  for (const { advice = {}, means = [], words } of optionHabits) {
    if (!words.split(" ").includes(name) || options.includes(`--${name}`)) continue
    const own = command === undefined ? undefined : advice[command]
    if (own !== undefined) return own
    const meant = means.find((each) => options.includes(`--${each}`))
    if (meant !== undefined) return `Did you mean --${meant}?`
    if (advice.else !== undefined) return advice.else
  }
  return undefined
}
