/**
 * A crooked service: what another has answered, each answer altered or not, as a proxy between the two would. A hundred of
 * them are asked at once, without a word on the wire.
 */
import { outcomeOf, type RuleName } from "./rules.js"
import { type Answer, makeOwnService, type OwnServiceOptions, type Question, type Send } from "./service.js"

/** What was asked for a rule, in order. */
export type Tape = Array<{ readonly question: Question; readonly answer: Answer }>

export const recording =
  (send: Send, tape: Tape): Send =>
  async (question) => {
    const index = tape.length
    // Its place is where it was asked, whenever it is answered.
    tape.push({ question, answer: none })
    const answer = await send(question)
    tape[index] = { question, answer }
    return answer
  }

export const none: Answer = { status: 0, headers: {}, bytes: Buffer.alloc(0) }

/** Gives another answer, or the same one where it is not crooked. */
export type Alter = (question: Question, answer: Answer) => Answer

/** Which rules a crooked service breaks. */
export const brokenBy = async (
  makeAlter: () => Alter,
  tapes: ReadonlyMap<RuleName, Tape>,
  options: OwnServiceOptions
): Promise<ReadonlyArray<RuleName>> => {
  const broken: Array<RuleName> = []
  for (const [name, tape] of tapes) {
    const alter = makeAlter()
    const altered = tape.map(({ answer, question }) => alter(question, answer))
    if (altered.every((answer, index) => answer === tape[index]?.answer)) continue
    // What follows the answer that broke the rule may be asked for nothing.
    const play: Send = async () => altered.shift() ?? none
    const outcome = await outcomeOf(name, makeOwnService(play, options))
    if ("held" in outcome && outcome.held === false) broken.push(name)
  }
  return broken
}
