/** The contract's rules for keys and for billing. */
import {
  allHold,
  forEachCase,
  hasStatus,
  inSection,
  isSynthesisFailure,
  isTranscriptionFailure,
  ownRule,
  rule,
  show,
  type Verdict,
  verdict,
  verdictOf
} from "./rule.js"
import type { Headers, HttpResponse, OwnService, Service } from "./service.js"

const text = "हाँ"

const accountRule = (sentence: string, expected: string, check: (service: OwnService) => Promise<Verdict>) =>
  ownRule("account", sentence, expected, check)

/** Each operation: the header of its key, and a request that is right but for its headers. */
const operations = [
  {
    name: "transcription",
    keyHeader: "X-Api-Key",
    call: ({ transcribe }: Service, headers: Headers) => transcribe({}, headers)
  },
  {
    name: "synthesis",
    keyHeader: "X-API-Key",
    call: ({ synthesize }: Service, headers: Headers) => synthesize({ text, output_format: "8000:pcm16" }, headers)
  }
] as const
const [transcription, synthesis] = operations
type Operation = (typeof operations)[number]

const callWith = ({ call, keyHeader }: Operation, service: Service, key: string | undefined) =>
  call(service, { [keyHeader]: key })

/** The verdict if both operations, called with a key, must give these statuses. */
const bothGive = async (service: Service, key: string, stt: number, tts: number): Promise<Verdict> =>
  allHold({
    transcription: hasStatus(await callWith(transcription, service, key), stt),
    synthesis: hasStatus(await callWith(synthesis, service, key), tts)
  })

const prefixOf = (key: string): string => key.slice(0, key.indexOf("."))
const secretOf = (key: string): string => key.slice(key.indexOf(".") + 1)
const unknownKey = "unknown_000000000000.0123456789abcdefghijklmnopqrstuvwxyz"

const createKey = async ({ platform }: OwnService, name = "second") =>
  (await platform("POST", "keys", { name, confirm: true })).body
const listKeys = async ({ platform }: OwnService) => (await platform("GET", "keys")).body
const revokeActiveKey = async (service: OwnService): Promise<string> => {
  const { id } = (await listKeys(service)).active
  await service.platform("POST", `keys/${id}/revoke`)
  return id
}
const setScopes = async (service: OwnService, scopes: ReadonlyArray<string>) =>
  service.platform("PATCH", `keys/${(await listKeys(service)).active.id}`, { scopes })

/** The rules that are the same for both operations. */
const rulesOfKey = (operation: Operation) => {
  const refused = (sentence: string, expected: string, keysOf: (key: string) => ReadonlyArray<string | undefined>) =>
    rule(sentence, expected, (service) =>
      forEachCase(
        keysOf(service.key),
        async (key) => hasStatus(await callWith(operation, service, key), 401),
        (key) => (key === undefined ? "none" : service.key.includes(key) && key.length > 1 ? "a part" : key)
      )
    )
  const { call, keyHeader, name } = operation
  return [
    refused(`${name} without a key is 401`, "401", () => [undefined]),
    refused(`${name} with a malformed key is 401`, "401", () => ["nodot", ".", "a.", ".b"]),
    refused(`${name} with an unknown key is 401`, "401", () => [unknownKey]),
    refused(`${name} needs the whole key, \`<prefix>.<secret>\``, "401 for a part", (key) => [
      prefixOf(key),
      `${prefixOf(key)}.`,
      secretOf(key)
    ]),
    rule(`${name} reads the key from \`${keyHeader}\`, in any capitals`, "200", (service) =>
      forEachCase(["X-API-KEY", "x-api-key"], async (header) =>
        hasStatus(await call(service, { [keyHeader]: undefined, [header]: service.key }), 200)
      )
    )
  ]
}

const keys = inSection("Keys", [
  ...operations.flatMap(rulesOfKey),
  accountRule("a revoked key is 401 from the next request on", "200, then 401", async (service) => {
    const before = await bothGive(service, service.key, 200, 200)
    await revokeActiveKey(service)
    return allHold({ before, after: await bothGive(service, service.key, 401, 401) })
  }),
  accountRule("the platform lists a revoked key as archived", "no active, one archived", async (service) => {
    const id = await revokeActiveKey(service)
    const { active, archived } = await listKeys(service)
    const isRight = active === null && archived.length === 1 && archived[0].id === id
    return verdictOf(isRight, "no active, one archived", JSON.stringify({ active, archived }))
  }),
  accountRule("a new key revokes the old one at once", "401 for the old, 200 for the new", async (service) => {
    const { key } = await createKey(service)
    return allHold({
      old: await bothGive(service, service.key, 401, 401),
      new: await bothGive(service, key, 200, 200)
    })
  }),
  accountRule("only one key is active", "the latest, and two archived", async (service) => {
    await createKey(service, "second")
    await createKey(service, "third")
    const { active, archived } = await listKeys(service)
    const isRight = active?.name === "third" && archived.length === 2
    return verdictOf(isRight, "the latest, and two archived", JSON.stringify({ active, archived }))
  }),
  accountRule(
    "the platform replaces a key only after a confirmation",
    "the old key works until then",
    async (service) => {
      const { status } = await service.platform("POST", "keys", { name: "second" })
      const { held, observed } = await bothGive(service, service.key, 200, 200)
      return verdictOf(status >= 400 && held === true, "the old key works until then", `${status}, then ${observed}`)
    }
  ),
  accountRule("a key is `<prefix>.<secret>`", "two parts", async (service) => {
    const { key } = await createKey(service)
    const isRight = key.includes(".") && prefixOf(key) !== "" && secretOf(key) !== ""
    return verdictOf(isRight, "two parts", `${key.split(".").length} parts`)
  }),
  accountRule("the platform shows a key once, at its creation", "in no list", async (service) => {
    const { key } = await createKey(service)
    const isListed = JSON.stringify(await listKeys(service)).includes(secretOf(key))
    return verdictOf(!isListed, "in no list", "in the list of keys")
  }),
  accountRule("a key has a name, a creator and a creation time", "all three", async (service) => {
    await createKey(service, "mine")
    const { createdAt, creator, name } = (await listKeys(service)).active
    const isRight = name === "mine" && Boolean(creator) && Math.abs(Date.now() - Date.parse(createdAt)) < 60_000
    return verdictOf(isRight, "all three", JSON.stringify({ name, creator, createdAt }))
  }),
  accountRule("a new key has all scopes, `tts:synth` among them", "both operations, and tts:synth", async (service) => {
    const { key, scopes } = await createKey(service)
    const { held, observed } = await bothGive(service, key, 200, 200)
    const isRight = held === true && scopes.includes("tts:synth")
    return verdictOf(isRight, "both operations, and tts:synth", `${observed}, ${scopes}`)
  }),
  accountRule(
    "a request that is under way when its key is replaced finishes",
    "200, and 401 for the next request",
    async (service) => {
      const { platform, synthesize } = service
      await platform("PUT", "faults", [{ operation: "synthesize", times: 1, delayMillis: 200 }])
      const underWay = synthesize({ text: "नमस्ते" })
      for (let looks = 0; looks < 200; looks++) {
        const { body } = await platform("GET", "requests")
        if (body.some(({ keyId }: { keyId: unknown }) => keyId !== null)) break
      }
      await createKey(service)
      const next = hasStatus(await callWith(synthesis, service, service.key), 401)
      return allHold({ "the next request": next, "the request under way": hasStatus(await underWay, 200) })
    }
  ),
  accountRule(
    "transcription is 402 while the credit is exhausted, also if it is repeated",
    "402 twice, then 200",
    async ({ platform, transcribe }) => {
      await platform("PATCH", "account", { credits: 0 })
      const exhausted = [await transcribe(), await transcribe()]
      await platform("PATCH", "account", { credits: 1000 })
      const statuses = [...exhausted, await transcribe()].map(({ status }) => status)
      return verdict(statuses.join() === "402,402,200", statuses.join(", "))
    }
  ),
  accountRule(
    "transcription is 403 while the account is suspended, closed or inactive",
    "403, then 200",
    async ({ platform, transcribe }) => {
      const refused = await forEachCase(["suspended", "closed", "inactive"], async (state) => {
        await platform("PATCH", "account", { state })
        return hasStatus(await transcribe(), 403)
      })
      await platform("PATCH", "account", { state: "active" })
      return allHold({ refused, "active again": hasStatus(await transcribe(), 200) })
    }
  ),
  accountRule("transcription is 403 if the key lacks the scope", "403", async (service) => {
    await setScopes(service, ["tts:synth"])
    return hasStatus(await service.transcribe(), 403)
  }),
  accountRule("synthesis is 401 while the credit is exhausted", "401", async ({ platform, synthesize }) => {
    await platform("PATCH", "account", { credits: 0 })
    return isSynthesisFailure(await synthesize({ text }), 401)
  }),
  accountRule(
    "synthesis is 401 while the account is suspended, closed or inactive",
    "401",
    ({ platform, synthesize }) =>
      forEachCase(["suspended", "closed", "inactive"], async (state) => {
        await platform("PATCH", "account", { state })
        return isSynthesisFailure(await synthesize({ text }), 401)
      })
  ),
  accountRule("synthesis is 401 if the key lacks `tts:synth`", "401", async (service) => {
    await setScopes(service, ["stt:transcribe"])
    return isSynthesisFailure(await service.synthesize({ text }), 401)
  }),
  accountRule(
    "a transcription with a revoked key has `error`, `message` and the `status` `error`",
    "401 with all three",
    async (service) => {
      await createKey(service)
      return isTranscriptionFailure(await callWith(transcription, service, service.key), 401)
    }
  )
])

/** What a request took from the balance. */
const creditsFor = async ({ platform }: OwnService, request: () => Promise<HttpResponse>) => {
  const balance = async (): Promise<number> => (await platform("GET", "account")).body.credits
  const before = await balance()
  const response = await request()
  return { response, credits: before - (await balance()) }
}

/** Code points: also of an accent that is a character of its own, of four bytes, of a family, and of white space. */
const costs = { नमस्ते: 6, speech: 6, "\u00e9": 1, "e\u0301": 2, "😀": 1, "👩‍👩‍👧": 5, " \n\t": 3 }

const billing = inSection("Billing", [
  accountRule("synthesis is billed per Unicode code point of the text", "6 for a word of six", async (service) =>
    forEachCase(
      Object.entries(costs),
      async ([word, cost]) => {
        const { credits, response } = await creditsFor(service, () =>
          service.synthesize({ text: word, lang: "en", output_format: "8000:pcm16" })
        )
        return verdict(response.status === 200 && credits === cost, `${credits}`)
      },
      ([word]) => word
    )
  ),
  accountRule("a failed synthesis is not billed", "0 on 400, 401, 500 and 502", async (service) => {
    const isFree = async (status: number, request: () => Promise<HttpResponse>): Promise<Verdict> => {
      const { credits, response } = await creditsFor(service, request)
      return verdictOf(response.status === status && credits === 0, "0", `${credits}, ${show(response)}`)
    }
    const fail = (status: number) => async () => {
      await service.platform("PUT", "faults", [{ operation: "synthesize", status, times: 1 }])
      return service.synthesize({ text })
    }
    return allHold({
      400: await isFree(400, () => service.synthesize({ text, lang: "tlh" })),
      401: await isFree(401, () => callWith(synthesis, service, unknownKey)),
      500: await isFree(500, fail(500)),
      502: await isFree(502, fail(502))
    })
  }),
  accountRule(
    "transcription is metered against the balance, in a unit that is not specified",
    "more than 0",
    async (service) => {
      const { credits, response } = await creditsFor(service, () => service.transcribe())
      return verdict(response.status === 200 && credits > 0, `${credits} for a second`)
    }
  )
])

export const accountRules = [...keys, ...billing]
