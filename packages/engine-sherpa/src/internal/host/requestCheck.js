// Checks what the process of a model receives. An empty text, a speed of 0 or samples of another type would end the process, or be
// read as noise. Without Schema, which takes longer to load than sherpa-onnx and a small model together.

/** @param {unknown} value */
const isNumber = (value) => Number.isSafeInteger(value) && Number(value) >= 0

/** @param {unknown} value */
const isText = (value) => typeof value === "string" && value.trim() !== ""

/** @param {unknown} value */
const isTextOrNone = (value) => value === undefined || isText(value)

/**
 * The check of each field of each message.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>>}
 */
const checks = {
  Load: {
    operation: (value) => value === "transcribe" || value === "synthesize",
    config: (value) => typeof value === "object" && value !== null,
    trial: isTextOrNone,
    statesLanguage: (value) => value === undefined || typeof value === "boolean"
  },
  Recognise: {
    task: isNumber,
    samples: (value) => value instanceof Float32Array && value.length > 0,
    hotwords: isTextOrNone,
    language: isTextOrNone
  },
  Withdraw: { task: isNumber },
  Speak: {
    task: isNumber,
    text: isText,
    speaker: isNumber,
    speed: (value) => Number.isFinite(value) && Number(value) > 0
  }
}

/**
 * What is wrong with a message. `undefined`: nothing.
 *
 * @param {unknown} message
 * @returns {string | undefined}
 */
export const problemIn = (message) => {
  if (typeof message !== "object" || message === null || !("_tag" in message)) return "It is not a message."
  const fields = Object.hasOwn(checks, String(message._tag)) ? checks[String(message._tag)] : undefined
  if (fields === undefined) return "It has an unknown tag."
  const wrong = Object.entries(fields).filter(([field, isRight]) => !isRight(Reflect.get(message, field)))
  return wrong.length === 0 ? undefined : `${message._tag} has a wrong ${wrong.map(([field]) => field).join(" and ")}.`
}
