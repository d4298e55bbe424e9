/** What the contract says of keys, and of what is billed. */
import {
  every,
  forEach,
  hasStatus,
  isSynthesisFailure,
  isTranscriptionFailure,
  judged,
  type Rule,
  type Seen,
  show
} from "./rule.js"
import type { Answer, OwnService, Service } from "./service.js"

const text = "हाँ"

/** A request that is right but for its key. */
const transcribeWith = ({ transcribe }: Service, key: string | undefined): Promise<Answer> =>
  transcribe({}, { "X-Api-Key": key })
const synthesizeWith = ({ synthesize }: Service, key: string | undefined): Promise<Answer> =>
  synthesize({ text, output_format: "8000:pcm16" }, { "X-API-Key": key })

const prefixOf = (key: string): string => key.slice(0, key.indexOf("."))
const secretOf = (key: string): string => key.slice(key.indexOf(".") + 1)

const unknownKey = "unknown_000000000000.0123456789abcdefghijklmnopqrstuvwxyz"

/** Both operations with a key, and what each must answer. */
const bothAnswer = async (service: Service, key: string, stt: number, tts: number): Promise<Seen> =>
  every({
    transcription: hasStatus(await transcribeWith(service, key), stt),
    synthesis: hasStatus(await synthesizeWith(service, key), tts)
  })

const newKey = async ({ platform }: OwnService, name = "second") =>
  (await platform("POST", "keys", { name, confirm: true })).body

const activeKey = async ({ platform }: OwnService) => (await platform("GET", "keys")).body.active

const keys = {
  transcriptionKeyMissing: {
    section: "Keys",
    rule: "transcription without a key is 401",
    expected: "401",
    anywhere: async (service) => hasStatus(await transcribeWith(service, undefined), 401)
  },
  transcriptionKeyMalformed: {
    section: "Keys",
    rule: "transcription with a malformed key is 401",
    expected: "401",
    anywhere: (service) =>
      forEach(["nodot", ".", "a.", ".b"], async (key) => hasStatus(await transcribeWith(service, key), 401))
  },
  transcriptionKeyUnknown: {
    section: "Keys",
    rule: "transcription with an unrecognised key is 401",
    expected: "401",
    anywhere: async (service) => hasStatus(await transcribeWith(service, unknownKey), 401)
  },
  transcriptionKeyWhole: {
    section: "Keys",
    rule: "the key of transcription must be the whole `<prefix>.<secret>`",
    expected: "401 for a part",
    anywhere: async (service) =>
      every({
        prefix: hasStatus(await transcribeWith(service, prefixOf(service.key)), 401),
        secret: hasStatus(await transcribeWith(service, secretOf(service.key)), 401)
      })
  },
  transcriptionHeaderName: {
    section: "Keys",
    rule: "the header of transcription is `X-Api-Key`, however it is capitalised",
    expected: "200",
    anywhere: ({ key, transcribe }) =>
      forEach(["X-API-KEY", "x-api-key"], async (name) =>
        hasStatus(await transcribe({}, { "X-Api-Key": undefined, [name]: key }), 200)
      )
  },
  synthesisKeyMissing: {
    section: "Keys",
    rule: "synthesis without a key is 401",
    expected: "401",
    anywhere: async (service) => hasStatus(await synthesizeWith(service, undefined), 401)
  },
  synthesisKeyMalformed: {
    section: "Keys",
    rule: "synthesis with a malformed key is 401",
    expected: "401",
    anywhere: (service) =>
      forEach(["nodot", ".", "a.", ".b"], async (key) => hasStatus(await synthesizeWith(service, key), 401))
  },
  synthesisKeyUnknown: {
    section: "Keys",
    rule: "synthesis with an unrecognised key is 401",
    expected: "401",
    anywhere: async (service) => hasStatus(await synthesizeWith(service, unknownKey), 401)
  },
  synthesisKeyWhole: {
    section: "Keys",
    rule: "the key of synthesis must be the whole `<prefix>.<secret>`",
    expected: "401 for a part",
    anywhere: async (service) =>
      every({
        prefix: hasStatus(await synthesizeWith(service, prefixOf(service.key)), 401),
        secret: hasStatus(await synthesizeWith(service, secretOf(service.key)), 401)
      })
  },
  synthesisHeaderName: {
    section: "Keys",
    rule: "the header of synthesis is `X-API-Key`, however it is capitalised",
    expected: "200",
    anywhere: ({ key, synthesize }) =>
      forEach(["X-Api-Key", "x-api-key"], async (name) =>
        hasStatus(await synthesize({ text }, { "X-API-Key": undefined, [name]: key }), 200)
      )
  },
  revokedKey: {
    section: "Keys",
    rule: "a revoked key is 401 from the next request on",
    expected: "200, then 401",
    reason: "account",
    locally: async (service) => {
      const before = await bothAnswer(service, service.key, 200, 200)
      await service.platform("POST", `keys/${(await activeKey(service)).id}/revoke`)
      return every({ before, after: await bothAnswer(service, service.key, 401, 401) })
    }
  },
  revokedKeyIsArchived: {
    section: "Keys",
    rule: "a revoked key is listed as archived",
    expected: "none active, one archived",
    reason: "account",
    locally: async (service) => {
      const { id } = await activeKey(service)
      await service.platform("POST", `keys/${id}/revoke`)
      const { active, archived } = (await service.platform("GET", "keys")).body
      const right = active === null && archived.length === 1 && archived[0].id === id
      return judged(right, right ? "none active, one archived" : JSON.stringify({ active, archived }))
    }
  },
  newKeyRevokesTheOld: {
    section: "Keys",
    rule: "a new key revokes the old one at once",
    expected: "401 for the old, 200 for the new",
    reason: "account",
    locally: async (service) => {
      const { key } = await newKey(service)
      return every({
        old: await bothAnswer(service, service.key, 401, 401),
        new: await bothAnswer(service, key, 200, 200)
      })
    }
  },
  oneKeyIsActive: {
    section: "Keys",
    rule: "only one key is active",
    expected: "the latest, and two archived",
    reason: "account",
    locally: async (service) => {
      await newKey(service, "second")
      await newKey(service, "third")
      const { active, archived } = (await service.platform("GET", "keys")).body
      const right = active?.name === "third" && archived.length === 2
      return judged(right, right ? "the latest, and two archived" : JSON.stringify({ active, archived }))
    }
  },
  replacingIsConfirmed: {
    section: "Keys",
    rule: "the platform asks to confirm before it replaces a key",
    expected: "the old one works until then",
    reason: "account",
    locally: async (service) => {
      const { status } = await service.platform("POST", "keys", { name: "second" })
      const still = await bothAnswer(service, service.key, 200, 200)
      const right = status >= 400 && still.held === true
      return judged(right, right ? "the old one works until then" : `${status}, then ${still.seen}`)
    }
  },
  keyHasTwoParts: {
    section: "Keys",
    rule: "a key is `<prefix>.<secret>`",
    expected: "two parts",
    reason: "account",
    locally: async (service) => {
      const { key } = await newKey(service)
      const right = prefixOf(key) !== "" && secretOf(key) !== "" && key.includes(".")
      return judged(right, right ? "two parts" : `${key.split(".").length} of them`)
    }
  },
  keyIsShownOnce: {
    section: "Keys",
    rule: "it is shown once, at its creation",
    expected: "in no list",
    reason: "account",
    locally: async (service) => {
      const { key } = await newKey(service)
      const listed = JSON.stringify((await service.platform("GET", "keys")).body).includes(secretOf(key))
      return judged(!listed, listed ? "in the list of keys" : "in no list")
    }
  },
  keyIsDescribed: {
    section: "Keys",
    rule: "it has a name, a creator and a time of creation",
    expected: "all three",
    reason: "account",
    locally: async (service) => {
      await newKey(service, "mine")
      const { createdAt, creator, name } = await activeKey(service)
      const right = name === "mine" && Boolean(creator) && Math.abs(Date.now() - Date.parse(createdAt)) < 60_000
      return judged(right, right ? "all three" : JSON.stringify({ name, creator, createdAt }))
    }
  },
  keyHasAllScopes: {
    section: "Keys",
    rule: "every new key has all scopes, of which one is `tts:synth`",
    expected: "both operations, and tts:synth",
    reason: "account",
    locally: async (service) => {
      const { key, scopes } = await newKey(service)
      const both = await bothAnswer(service, key, 200, 200)
      const right = both.held === true && scopes.includes("tts:synth")
      return judged(right, right ? "both operations, and tts:synth" : `${both.seen}, ${scopes}`)
    }
  },
  authorisedRequestFinishes: {
    section: "Keys",
    rule: "a request that was authorised when its key is replaced finishes",
    expected: "401 for one that follows, and 200",
    reason: "account",
    locally: async (service) => {
      const { platform } = service
      await platform("PUT", "faults", [{ operation: "synthesize", times: 1, delayMillis: 200 }])
      const underWay = service.synthesize({ text: "नमस्ते" })
      for (let looks = 0; looks < 200; looks++) {
        const { body } = await platform("GET", "requests")
        if (body.some(({ keyId }: { keyId: unknown }) => keyId !== null)) break
      }
      await newKey(service)
      const refused = hasStatus(await synthesizeWith(service, service.key), 401)
      return every({ "one that follows": refused, "the one under way": hasStatus(await underWay, 200) })
    }
  },
  transcriptionWithoutCredit: {
    section: "Keys",
    rule: "transcription is 402 while the credit is exhausted, also when it is repeated",
    expected: "402 twice, then 200",
    reason: "account",
    locally: async (service) => {
      await service.platform("PATCH", "account", { credits: 0 })
      const exhausted = [await service.transcribe(), await service.transcribe()]
      await service.platform("PATCH", "account", { credits: 1000 })
      const statuses = [...exhausted, await service.transcribe()].map(({ status }) => status)
      return judged(statuses.join() === "402,402,200", statuses.join(", "))
    }
  },
  transcriptionOfInactiveAccount: {
    section: "Keys",
    rule: "transcription is 403 while the account is suspended, closed or inactive",
    expected: "403, then 200",
    reason: "account",
    locally: async (service) => {
      const { platform, transcribe } = service
      const refused = await forEach(["suspended", "closed", "inactive"], async (state) => {
        await platform("PATCH", "account", { state })
        return hasStatus(await transcribe(), 403)
      })
      await platform("PATCH", "account", { state: "active" })
      return every({ refused, "active again": hasStatus(await transcribe(), 200) })
    }
  },
  transcriptionWithoutScope: {
    section: "Keys",
    rule: "transcription is 403 where the key lacks the scope",
    expected: "403",
    reason: "account",
    locally: async (service) => {
      await service.platform("PATCH", `keys/${(await activeKey(service)).id}`, { scopes: ["tts:synth"] })
      return hasStatus(await service.transcribe(), 403)
    }
  },
  synthesisWithoutCredit: {
    section: "Keys",
    rule: "synthesis is 401 while the credit is exhausted",
    expected: "401",
    reason: "account",
    locally: async (service) => {
      await service.platform("PATCH", "account", { credits: 0 })
      return isSynthesisFailure(await service.synthesize({ text }), 401)
    }
  },
  synthesisOfInactiveAccount: {
    section: "Keys",
    rule: "synthesis is 401 while the account is suspended, closed or inactive",
    expected: "401",
    reason: "account",
    locally: ({ platform, synthesize }) =>
      forEach(["suspended", "closed", "inactive"], async (state) => {
        await platform("PATCH", "account", { state })
        return isSynthesisFailure(await synthesize({ text }), 401)
      })
  },
  synthesisWithoutScope: {
    section: "Keys",
    rule: "synthesis is 401 where the key lacks `tts:synth`",
    expected: "401",
    reason: "account",
    locally: async (service) => {
      await service.platform("PATCH", `keys/${(await activeKey(service)).id}`, { scopes: ["stt:transcribe"] })
      return isSynthesisFailure(await service.synthesize({ text }), 401)
    }
  },
  transcriptionKeyBodies: {
    section: "Keys",
    rule: "whatever the reason, a refused key is told in the body of a transcription",
    expected: "401 with error, message and status",
    reason: "account",
    locally: async (service) => {
      await newKey(service)
      return isTranscriptionFailure(await transcribeWith(service, service.key), 401)
    }
  }
} as const satisfies Record<string, Rule>

/** What a request took from the balance. */
const spent = async ({ platform }: OwnService, ask: () => Promise<Answer>) => {
  const credits = async (): Promise<number> => (await platform("GET", "account")).body.credits
  const before = await credits()
  const answer = await ask()
  return { answer, credits: before - (await credits()) }
}

const costs = { नमस्ते: 6, speech: 6, "e\u0301": 2, "😀": 1 } as const

const billing = {
  billedByCodePoint: {
    section: "Billing",
    rule: "synthesis is billed per Unicode code point of the text",
    expected: "6 for a word of six",
    reason: "account",
    locally: (service) =>
      forEach(Object.keys(costs) as ReadonlyArray<keyof typeof costs>, async (word) => {
        const { answer, credits } = await spent(service, () =>
          service.synthesize({ text: word, lang: "en", output_format: "8000:pcm16" })
        )
        return judged(answer.status === 200 && credits === costs[word], `${credits}`)
      })
  },
  failureIsNotBilled: {
    section: "Billing",
    rule: "a failed synthesis is not billed",
    expected: "0 on 400, 401, 500 and 502",
    reason: "account",
    locally: async (service) => {
      const free = async (status: number, ask: () => Promise<Answer>): Promise<Seen> => {
        const { answer, credits } = await spent(service, ask)
        return judged(answer.status === status && credits === 0, credits === 0 ? "0" : `${credits}, ${show(answer)}`)
      }
      const fail = (status: number) => async () => {
        await service.platform("PUT", "faults", [{ operation: "synthesize", status, times: 1 }])
        return service.synthesize({ text })
      }
      return every({
        400: await free(400, () => service.synthesize({ text, lang: "tlh" })),
        401: await free(401, () => synthesizeWith(service, unknownKey)),
        500: await free(500, fail(500)),
        502: await free(502, fail(502))
      })
    }
  },
  transcriptionIsMetered: {
    section: "Billing",
    rule: "transcription is metered against the balance, in a unit that is not shown",
    expected: "more than 0",
    reason: "account",
    locally: async (service) => {
      const { credits } = await spent(service, () => service.transcribe())
      return judged(credits > 0, `${credits} for a second`)
    }
  }
} as const satisfies Record<string, Rule>

export const accountRules = { ...keys, ...billing }
