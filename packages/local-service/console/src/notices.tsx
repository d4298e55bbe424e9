/** Notices, questions before a change, and dialogs. */
import { useEffect, useRef } from "preact/hooks"
import type { CallFailure } from "./api.js"
import { makeStore, useStore } from "./store.js"

const said = makeStore("")
const shownMillis = 4000
let hiding: ReturnType<typeof setTimeout> | undefined

/** Shows a sentence for a moment. A screen reader reads it. */
export const say = (sentence: string): void => {
  said.set(sentence)
  clearTimeout(hiding)
  hiding = setTimeout(() => said.set(""), shownMillis)
}

interface Question {
  readonly title: string
  readonly message: string
  readonly action: string
  readonly answer: (confirmed: boolean) => void
}
const question = makeStore<Question | undefined>(undefined)

/** Asks before something that cannot be undone. */
export const confirmed = (asked: Omit<Question, "answer">): Promise<boolean> =>
  new Promise((resolve) => {
    question.set({
      ...asked,
      answer: (answer) => {
        question.set(undefined)
        resolve(answer)
      }
    })
  })

interface Copied {
  readonly name: string
  readonly text: string
}
const copied = makeStore<Copied | undefined>(undefined)

/** Copies a text. If the browser does not allow it, shows the text to copy by hand. */
export const copy = async (name: string, text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
    say(`Copied ${name}.`)
  } catch {
    copied.set({ name, text })
  }
}

export const Notices = () => {
  const sentence = useStore(said)
  const asked = useStore(question)
  const manual = useStore(copied)
  return (
    <>
      <output class="toast" aria-live="polite" data-shown={sentence !== ""}>
        {sentence}
      </output>
      {asked && <Confirmation {...asked} />}
      {manual && <ManualCopy {...manual} />}
    </>
  )
}

const useModal = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return dialog
}

const Confirmation = ({ action, answer, message, title }: Question) => {
  const dialog = useModal()
  return (
    <dialog ref={dialog} aria-labelledby="question" aria-describedby="consequence" onClose={() => answer(false)}>
      <h2 id="question">{title}</h2>
      <p id="consequence">{message}</p>
      <div class="actions">
        <button type="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button type="button" class="primary destructive" onClick={() => answer(true)}>
          {action}
        </button>
      </div>
    </dialog>
  )
}

const ManualCopy = ({ name, text }: Copied) => {
  const dialog = useModal()
  return (
    <dialog ref={dialog} class="wide" aria-labelledby="copy" onClose={() => copied.set(undefined)}>
      <h2 id="copy">Copy {name}</h2>
      <p>Your browser does not let this page copy. Select the text and copy it.</p>
      <textarea aria-label={name} readOnly rows={12} value={text} onFocus={(event) => event.currentTarget.select()} />
      <div class="actions">
        <button type="button" class="primary" onClick={() => copied.set(undefined)}>
          Close
        </button>
      </div>
    </dialog>
  )
}

/** A failure: the tag and the message that a program would get. */
export const FailureNote = ({ failure }: { readonly failure: CallFailure }) => (
  <p class="failure" role="alert">
    {failure.tag && <code>{failure.tag}</code>} {failure.message}
    {failure.requestId && !failure.message.includes(failure.requestId) && (
      <span class="quiet">
        {" "}
        Request <code>{failure.requestId}</code>
      </span>
    )}
  </p>
)
