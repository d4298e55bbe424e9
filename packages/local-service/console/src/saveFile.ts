/** Saves a text as a file of the browser's downloads. */
export const saveFile = (name: string, text: string, type: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  link.download = name
  link.click()
  // The browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
