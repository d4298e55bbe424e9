import { expect, it } from "@effect/vitest"
import {
  LocalServiceDataDirectoryUnusable,
  LocalServiceRecordingUnusable
} from "@effect-speech/local-service/LocalServiceError"

it("the message of an error is printable, and its path is exact", () => {
  const path = "a\u001b[2J\u009b\u202e\n.wav"
  const message = `The recording ${path} can't be taught.`
  const printable = "The recording a\\u001b[2J\\u009b\\u202e\\n.wav can't be taught."
  expect(new LocalServiceRecordingUnusable({ path, message })).toMatchObject({ path, message: printable })
  expect(new LocalServiceDataDirectoryUnusable({ directory: path, message })).toMatchObject({
    directory: path,
    message: printable
  })
})
