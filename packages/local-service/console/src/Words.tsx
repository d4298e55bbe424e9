/** A text of a request, in its own direction and language. */
export interface WordsProps {
  readonly text: string
  readonly lang?: string | undefined
  /** `spoken`: stands in quotes. `none`: says that there is no text. */
  readonly kind?: "sent" | "spoken" | "problem" | "none"
}

export const Words = ({ kind, lang, text }: WordsProps) => (
  <>
    {kind === "spoken" && "“"}
    <bdi lang={lang} dir="auto" class={kind === "none" ? "quiet" : undefined}>
      {text}
    </bdi>
    {kind === "spoken" && "”"}
  </>
)
