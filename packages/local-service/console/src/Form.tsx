/** A form that the page sends by a call. The code of the call checks its fields. */
import type { ComponentChildren } from "preact"

export interface FormProps {
  readonly class?: string
  readonly onSubmit: (form: HTMLFormElement) => unknown
  readonly children: ComponentChildren
}

export const Form = ({ children, class: name, onSubmit }: FormProps) => (
  <form
    class={name}
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      void onSubmit(event.currentTarget)
    }}
  >
    {children}
  </form>
)
