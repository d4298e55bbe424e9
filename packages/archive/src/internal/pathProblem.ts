import * as Issue from "@effect-speech/transport/unstable/Issue"

/**
 * What is wrong with a path below a folder: the words after its name in a sentence. `undefined`: nothing. Such a path leads
 * nowhere else, whatever folder it is joined with.
 */
export const pathProblem = (path: string): string | undefined => {
  if (path.includes("\0")) return "holds a NUL character"
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) {
    return 'must not have a part that is empty, "." or ".."'
  }
  return Issue.inText(path)
}
