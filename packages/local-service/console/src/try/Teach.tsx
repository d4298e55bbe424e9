/** Asks what is said in a recording that the service does not know. */
import { useState } from "preact/hooks"
import { Form } from "../Form.js"
import { FailureNote, say } from "../notices.js"
import { teach } from "../speech.js"
import { useCall } from "../useCall.js"

export interface TeachProps {
  readonly recording: File
  readonly onTaught: () => void
}

export const Teach = ({ onTaught, recording }: TeachProps) => {
  const [text, setText] = useState("")
  const { busy, failure, make, refuse } = useCall()
  const submit = async () => {
    if (text.trim() === "") return refuse("Write what is said in the recording.")
    const taught = await make(() => teach(recording, text.trim()))
    if (taught === undefined) return
    say("The service knows this recording now.")
    onTaught()
  }
  return (
    <Form class="teach" onSubmit={submit}>
      <label class="field">
        <span>What is said in this recording?</span>
        <textarea dir="auto" rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" aria-busy={busy}>
        Teach
      </button>
    </Form>
  )
}
