import { answerLaws } from "./answerLaws.js"
import { commandLaws } from "./commandLaws.js"
import { formLaws } from "./formLaws.js"
import { headerLaws } from "./headerLaws.js"
import type { Topic } from "./law.js"
import { longFormLaws } from "./longFormLaws.js"
import { recordingLaws } from "./recordingLaws.js"
import { requestLaws } from "./requestLaws.js"
import { serviceLaws } from "./serviceLaws.js"

/** Topics by name. `--only` takes the name. */
export const topics: Readonly<Record<string, Topic>> = {
  requests: requestLaws,
  forms: formLaws,
  answers: answerLaws,
  headers: headerLaws,
  recordings: recordingLaws,
  "long form": longFormLaws,
  service: serviceLaws,
  command: commandLaws
}
