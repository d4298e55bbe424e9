/** One line for each error: its tag, whether a retry may help, and its sentence. */
export const describeErrors = (
  errors: ReadonlyArray<{ readonly _tag: string; readonly retry: string; readonly message: string }>
): string => errors.map(({ _tag, message, retry }) => `${_tag} (${retry}): ${message}`).join("\n")
