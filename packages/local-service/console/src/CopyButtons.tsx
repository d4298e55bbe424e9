/** Copies a call, to run it without the console. */
import { asCurl, asEffect, type Call } from "./code.js"
import { copy } from "./notices.js"
import { about } from "./state.js"
import { useStore } from "./store.js"

export interface CopyButtonsProps {
  readonly call: Call
  /** The name of the call in the notice. */
  readonly name: string
  /** The name of the recording's file. */
  readonly fileName?: string | undefined
}

export const CopyButtons = ({ call, fileName, name }: CopyButtonsProps) => {
  const service = useStore(about)
  const button = (kind: "curl" | "Effect", write: typeof asCurl) => (
    <button
      type="button"
      onClick={() => {
        if (service !== undefined) void copy(`${name} as ${kind}`, write(call, { ...service, fileName }))
      }}
    >
      Copy as {kind}
    </button>
  )
  return (
    <>
      {button("curl", asCurl)}
      {button("Effect", asEffect)}
    </>
  )
}
