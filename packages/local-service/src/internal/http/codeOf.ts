/** The system's code of a failure, such as `ENOENT`, for a message. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown error"
