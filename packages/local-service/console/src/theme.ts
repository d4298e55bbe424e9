/** Light, dark, or what the system says. */
import { makeStore } from "./store.js"

export type Theme = "auto" | "light" | "dark"
const name = "effect-speech-console-theme"

const stored = (): Theme => {
  try {
    const value = localStorage.getItem(name)
    return value === "light" || value === "dark" ? value : "auto"
  } catch {
    return "auto"
  }
}

export const theme = makeStore<Theme>(stored())

/** Changes after each change of the colours. Draw canvases again. */
export const painted = makeStore(0)

const apply = () => {
  document.documentElement.dataset.theme = theme.get()
  painted.update((count) => count + 1)
}

apply()
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply)
theme.subscribe(() => {
  try {
    localStorage.setItem(name, theme.get())
  } catch {
    // A browser without storage forgets the choice.
  }
  apply()
})

/** The colour of a class of the style sheet, as a canvas takes it: a custom property would give `light-dark(…)`. */
export const colourOf = (className: string): string => {
  const probe = document.createElement("i")
  probe.className = className
  probe.hidden = true
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
