/** A text of a request, in its own direction and language. */
import type { Title } from "./rowText.js"

export const Words = ({ kind, lang, text }: Title) => (
  <>
    {kind === "spoken" && "“"}
    <bdi lang={lang} class={kind === "none" ? "quiet" : undefined}>
      {text}
    </bdi>
    {kind === "spoken" && "”"}
  </>
)
