/**
 * What clients saw held against what the service wrote down: every error has a fault for its cause, every fault has become
 * of something, and what was billed is what the calls explain.
 */

/**
 * @typedef {object} Attempt
 * @property {number} startedAt In milliseconds since 1970, as are all times here.
 * @property {number | undefined} [status] Of the answer, where one began.
 *
 * @typedef {object} Call
 * @property {string} id Its request id, or its transaction id.
 * @property {string} kind
 * @property {"transcribe" | "synthesize"} operation
 * @property {number} cost What it costs, in credits.
 * @property {number} startedAt
 * @property {number} endedAt
 * @property {ReadonlyArray<Attempt>} attempts
 * @property {string} outcome `success`, `wrong` where the result is not the right one, `interrupted`, or the tag of an error.
 * @property {string | undefined} [message] Of the error.
 * @property {string | undefined} [billing] As the call's report has it.
 *
 * @typedef {import("@effect-speech/local-service/Journal").JournalEntry} Entry
 *
 * @typedef {object} Sum
 * @property {number} calls
 * @property {number} credits
 * @typedef {Readonly<Record<"transcribe" | "synthesize", Sum>>} Ledger
 *
 * @typedef {object} Account
 * @property {ReadonlyArray<string>} problems
 * @property {ReadonlyMap<string, number>} faults What has become of them, and how often.
 */

/** @param {ReadonlyArray<Call>} calls @param {ReadonlyArray<Entry>} entries @returns {Account} */
export const account = (calls, entries) => {
  /** @type {Array<string>} */
  const problems = []
  const met = meet(calls, entries, problems)
  /** @type {Map<string, number>} */
  const faults = new Map()
  for (const call of calls) {
    const last = call.attempts.length - 1
    for (const [index, attempt] of call.attempts.entries()) {
      const entry = met.get(attempt)
      const wasLeft = index === last && call.outcome === "interrupted"
      const what = `${call.operation} ${call.id}, attempt ${index + 1} of ${last + 1}, ${call.outcome}`
      if (entry === undefined) {
        if (!wasLeft) problems.push(`${what}: the service has no request that explains it: ${call.message}`)
        continue
      }
      const hasFailed = index < last || (!wasLeft && call.outcome !== "success" && call.outcome !== "wrong")
      if (hasFailed && entry.outcome !== "faulted") {
        problems.push(`${what}: it failed with no fault (${entry.status}, ${entry.outcome}): ${call.message}`)
      }
      if (!hasFailed && !wasLeft && entry.outcome === "abandoned") {
        problems.push(`${what}: the service has it that the client went away`)
      }
      if (entry.outcome === "faulted") {
        const became = index < last ? "repeated" : wasLeft ? "interrupted by us" : call.outcome
        faults.set(became, (faults.get(became) ?? 0) + 1)
      }
    }
  }
  return { problems, faults }
}

/**
 * Which request each attempt was: by its id, where the service has come to read it, else by when it arrived and what was
 * answered.
 *
 * @param {ReadonlyArray<Call>} calls
 * @param {ReadonlyArray<Entry>} entries
 * @param {Array<string>} problems
 */
const meet = (calls, entries, problems) => {
  /** @type {Map<Attempt, Entry>} */
  const met = new Map()
  /** @type {Map<string, Array<Entry>>} */
  const byId = new Map()
  /** @type {Array<Entry>} */
  const withoutId = []
  for (const entry of entries) {
    const id = entry.operation === "synthesize" ? entry.id : entry.request?.transaction_id
    if (typeof id !== "string") withoutId.push(entry)
    else if (byId.get(id)?.push(entry) === undefined) byId.set(id, [entry])
  }

  /** @type {Array<Open>} */
  const open = []
  for (const call of calls) {
    const known = byId.get(call.id) ?? []
    byId.delete(call.id)
    for (const [index, attempt] of call.attempts.entries()) {
      const isLast = index === call.attempts.length - 1
      const wasLeft = isLast && call.outcome === "interrupted"
      const candidate = { call, attempt, wasLeft, anyStatus: wasLeft || (isLast && attempt.status === undefined) }
      const found = known.findIndex((entry) => answers(candidate, entry))
      const [entry] = found < 0 ? [] : known.splice(found, 1)
      if (entry !== undefined) met.set(attempt, entry)
      else open.push(candidate)
    }
    for (const entry of known) problems.push(`${describe(entry)} is more than the client asked for`)
  }
  for (const unknown of byId.values()) for (const entry of unknown) problems.push(`${describe(entry)} is nobody's`)

  const pairs = pair(open, withoutId)
  for (const [entry, { attempt }] of pairs) met.set(attempt, entry)
  for (const entry of withoutId) if (!pairs.has(entry)) problems.push(`${describe(entry)} is nobody's`)
  return met
}

/**
 * @typedef {object} Open An attempt of which no request has the id.
 * @property {Call} call
 * @property {Attempt} attempt
 * @property {boolean} wasLeft Interrupted by us, perhaps before it was sent.
 * @property {boolean} anyStatus Whoever went away, or lost the connection, may have been answered meanwhile.
 */

/**
 * As many of them together as can be, by paths that augment (J. Hopcroft and R. Karp, 1973, have them): first for the
 * attempts that must have been requests, then for the requests that must have been somebody's. What is in a pair once stays
 * in one.
 *
 * @param {ReadonlyArray<Open>} open
 * @param {ReadonlyArray<Entry>} entries
 * @returns {ReadonlyMap<Entry, Open>}
 */
const pair = (open, entries) => {
  /** @type {Map<Entry, Open>} */
  const openOf = new Map()
  /** @type {Map<Open, Entry>} */
  const entryOf = new Map()
  /** @param {Open} one @param {Entry} entry */
  const join = (one, entry) => {
    openOf.set(entry, one)
    entryOf.set(one, entry)
    return true
  }
  /** @param {Open} one @param {Set<Entry>} seen @returns {boolean} */
  const joinOpen = (one, seen) =>
    entries.some((entry) => {
      if (seen.has(entry) || !couldBe(one, entry)) return false
      seen.add(entry)
      const other = openOf.get(entry)
      return (other === undefined || joinOpen(other, seen)) && join(one, entry)
    })
  /** @param {Entry} entry @param {Set<Open>} seen @returns {boolean} */
  const joinEntry = (entry, seen) =>
    open.some((one) => {
      if (seen.has(one) || !couldBe(one, entry)) return false
      seen.add(one)
      const other = entryOf.get(one)
      return (other === undefined || joinEntry(other, seen)) && join(one, entry)
    })
  for (const one of open) if (!one.wasLeft) joinOpen(one, new Set())
  for (const entry of entries) if (!openOf.has(entry)) joinEntry(entry, new Set())
  return openOf
}

/** Both processes read one clock, of which the parts of a call each round. */
const roundingMillis = 5
/** How long what was sent may lie before a service that has much to do. */
const lateMillis = 10_000

/** @param {Open} open @param {Entry} entry */
const couldBe = (open, entry) => {
  const at = Date.parse(entry.at)
  const { attempt, call, wasLeft } = open
  return (
    entry.operation === call.operation &&
    // Of what a client waited for, a form is unread only where the service failed on purpose.
    (wasLeft || entry.outcome === "faulted") &&
    at >= attempt.startedAt - roundingMillis &&
    at <= call.endedAt + (wasLeft ? lateMillis : roundingMillis) &&
    answers(open, entry)
  )
}

/** @param {Open} open @param {Entry} entry */
const answers = ({ anyStatus, attempt }, { status }) => anyStatus || (status ?? undefined) === attempt.status

/** @param {Entry} entry */
const describe = ({ at, number, operation, outcome, status }) =>
  `Request ${number} (${operation}, ${at}, ${status}, ${outcome})`

/**
 * What of the ledger the calls do not explain: each that succeeded is billed, and besides only those whose answer was on its
 * way when we interrupted them.
 *
 * @param {ReadonlyArray<Call>} calls
 * @param {Ledger} before
 * @param {Ledger} after
 */
export const ledgerProblems = (calls, before, after) => {
  /** @type {Array<string>} */
  const problems = []
  for (const operation of /** @type {const} */ (["transcribe", "synthesize"])) {
    const own = calls.filter((call) => call.operation === operation)
    const received = sumOf(own.filter(({ outcome }) => outcome === "success" || outcome === "wrong"))
    const most = sumOf(own.filter(({ outcome }) => ["success", "wrong", "interrupted"].includes(outcome)))
    for (const unit of /** @type {const} */ (["calls", "credits"])) {
      const billed = after[operation][unit] - before[operation][unit]
      if (billed < received[unit] || billed > most[unit]) {
        problems.push(`${operation}: ${billed} ${unit} are billed, ${received[unit]} to ${most[unit]} are explained`)
      }
    }
  }
  return problems
}

/** @param {ReadonlyArray<Call>} calls @returns {Sum} */
const sumOf = (calls) => ({ calls: calls.length, credits: calls.reduce((sum, { cost }) => sum + cost, 0) })
