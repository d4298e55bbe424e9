import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { allowInsecureHttp, describe, json } from "../options.js"

/** `speech doctor` */
export const doctor = Command.make("doctor", { allowInsecureHttp, json }, (given) =>
  Effect.flatMap(
    Effect.promise(() => import("../doctor.js")),
    (work) => work.doctor(given)
  )
).pipe(
  Command.withDescription(
    describe("Checks the configuration, and that both hosts answer and take the key. It costs no credit.", [
      "speech doctor"
    ])
  )
)
