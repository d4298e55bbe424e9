/** The contract's rules for keys and for billing. */
import {
  demand,
  demandStatus,
  demandSynthesisFailure,
  demandTranscriptionFailure,
  inSection,
  type Rule
} from "./rule.js"
import type { Headers, HttpResponse, OwnService, Service } from "./service.js"

const text = "हाँ"

/** Each operation: the header of its key, and a request that is right but for its headers. */
const transcription = {
  name: "transcription",
  keyHeader: "X-Api-Key",
  call: ({ transcribe }: Service, headers: Headers) => transcribe({}, headers)
}
const synthesis: typeof transcription = {
  name: "synthesis",
  keyHeader: "X-API-Key",
  call: ({ synthesize }, headers) => synthesize({ text, output_format: "8000:pcm16" }, headers)
}

const callWith = ({ call, keyHeader }: typeof transcription, service: Service, key: string | undefined) =>
  call(service, { [keyHeader]: key })

/** Demands a status of both operations, called with a key. */
const demandOfBoth = async (service: Service, key: string, status: number): Promise<void> => {
  for (const operation of [transcription, synthesis]) demandStatus(await callWith(operation, service, key), status)
}

const partsOf = (key: string) => {
  const [prefix = "", ...secret] = key.split(".")
  return { prefix, secret: secret.join(".") }
}
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

const { ownRule, rule } = inSection("Keys")

/** The rules that are the same for both operations. */
const rulesOfKey = (operation: typeof transcription): ReadonlyArray<Rule> => {
  const { call, keyHeader, name } = operation
  const refused = (sentence: string, keysOf: (key: string) => ReadonlyArray<string | undefined>) =>
    rule(`${name} ${sentence}`, async (service) => {
      for (const key of keysOf(service.key)) demandStatus(await callWith(operation, service, key), 401)
    })
  return [
    refused("without a key is 401", () => [undefined]),
    refused("with a malformed key is 401", () => ["nodot", ".", "a.", ".b"]),
    refused("with an unknown key is 401", () => [unknownKey]),
    refused("needs the whole key, `<prefix>.<secret>`", (key) => {
      const { prefix, secret } = partsOf(key)
      return [prefix, `${prefix}.`, secret]
    }),
    rule(`${name} reads the key from \`${keyHeader}\`, in any capitals`, async (service) => {
      for (const header of ["X-API-KEY", "x-api-key"]) {
        demandStatus(await call(service, { [keyHeader]: undefined, [header]: service.key }), 200)
      }
    })
  ]
}

/** Demands a response while the account is suspended, closed or inactive. */
const inEachState = async ({ platform }: OwnService, check: () => Promise<void>): Promise<void> => {
  for (const state of ["suspended", "closed", "inactive"]) {
    await platform("PATCH", "account", { state })
    await check()
  }
  await platform("PATCH", "account", { state: "active" })
}

const keys = [
  ...rulesOfKey(transcription),
  ...rulesOfKey(synthesis),
  ownRule("account", "a revoked key is 401 from the next request on", async (service) => {
    await demandOfBoth(service, service.key, 200)
    await revokeActiveKey(service)
    await demandOfBoth(service, service.key, 401)
  }),
  ownRule("account", "the platform lists a revoked key as archived", async (service) => {
    const id = await revokeActiveKey(service)
    const { active, archived } = await listKeys(service)
    demand(active === null && archived.length === 1 && archived[0].id === id, JSON.stringify({ active, archived }))
  }),
  ownRule("account", "a new key revokes the old one at once", async (service) => {
    const { key } = await createKey(service)
    await demandOfBoth(service, service.key, 401)
    await demandOfBoth(service, key, 200)
  }),
  ownRule("account", "only one key is active", async (service) => {
    await createKey(service, "second")
    await createKey(service, "third")
    const { active, archived } = await listKeys(service)
    demand(active?.name === "third" && archived.length === 2, JSON.stringify({ active, archived }))
  }),
  ownRule("account", "the platform replaces a key only after a confirmation", async (service) => {
    const { status } = await service.platform("POST", "keys", { name: "second" })
    demand(status >= 400, `${status} without it`)
    await demandOfBoth(service, service.key, 200)
  }),
  ownRule("account", "a key is `<prefix>.<secret>`", async (service) => {
    const { key } = await createKey(service)
    const { prefix, secret } = partsOf(key)
    demand(prefix !== "" && secret !== "", `${key.split(".").length} parts`)
  }),
  ownRule("account", "the platform shows a key once, at its creation", async (service) => {
    const { key } = await createKey(service)
    demand(!JSON.stringify(await listKeys(service)).includes(partsOf(key).secret), "it is in the list of keys")
  }),
  ownRule("account", "a key has a name, a creator and a creation time", async (service) => {
    await createKey(service, "mine")
    const { createdAt, creator, name } = (await listKeys(service)).active
    const isRight = name === "mine" && Boolean(creator) && Math.abs(Date.now() - Date.parse(createdAt)) < 60_000
    demand(isRight, JSON.stringify({ name, creator, createdAt }))
  }),
  ownRule("account", "a new key has all scopes, `tts:synth` among them", async (service) => {
    const { key, scopes } = await createKey(service)
    await demandOfBoth(service, key, 200)
    demand(scopes.includes("tts:synth"), `${scopes}`)
  }),
  ownRule("account", "a request that is under way when its key is replaced finishes", async (service) => {
    const { platform, synthesize } = service
    await platform("PUT", "faults", [{ operation: "synthesize", times: 1, delayMillis: 200 }])
    const underWay = synthesize({ text: "नमस्ते" })
    for (let looks = 0; looks < 200; looks++) {
      const { body } = await platform("GET", "requests")
      if (body.some(({ keyId }: { keyId: unknown }) => keyId !== null)) break
    }
    await createKey(service)
    demandStatus(await callWith(synthesis, service, service.key), 401)
    demandStatus(await underWay, 200)
  }),
  ownRule("account", "transcription is 402 while the credit is exhausted, also if it is repeated", async (service) => {
    const { platform, transcribe } = service
    await platform("PATCH", "account", { credits: 0 })
    for (let times = 0; times < 2; times++) demandTranscriptionFailure(await transcribe(), 402)
    await platform("PATCH", "account", { credits: 1000 })
    demandStatus(await transcribe(), 200)
  }),
  ownRule("account", "transcription is 403 while the account is suspended, closed or inactive", async (service) => {
    await inEachState(service, async () => demandTranscriptionFailure(await service.transcribe(), 403))
    demandStatus(await service.transcribe(), 200)
  }),
  ownRule("account", "transcription is 403 if the key lacks the scope", async (service) => {
    await setScopes(service, ["tts:synth"])
    demandTranscriptionFailure(await service.transcribe(), 403)
  }),
  ownRule("account", "synthesis is 401 while the credit is exhausted", async ({ platform, synthesize }) => {
    await platform("PATCH", "account", { credits: 0 })
    demandSynthesisFailure(await synthesize({ text }), 401)
  }),
  ownRule("account", "synthesis is 401 while the account is suspended, closed or inactive", async (service) => {
    await inEachState(service, async () => demandSynthesisFailure(await service.synthesize({ text }), 401))
  }),
  ownRule("account", "synthesis is 401 if the key lacks `tts:synth`", async (service) => {
    await setScopes(service, ["stt:transcribe"])
    demandSynthesisFailure(await service.synthesize({ text }), 401)
  })
]

const billing = inSection("Billing")

/** What a request with this status took from the balance. */
const creditsFor = async ({ platform }: OwnService, status: number, request: () => Promise<HttpResponse>) => {
  const balance = async (): Promise<number> => (await platform("GET", "account")).body.credits
  const before = await balance()
  demandStatus(await request(), status)
  return before - (await balance())
}

/**
 * Code points: also of an accent that is a character of its own, of four bytes, of a family, and of white space. Each text has a letter,
 * so that any voice can speak it.
 */
const costs = { नमस्ते: 6, speech: 6, "\u00e9": 1, "e\u0301": 2, "a😀": 2, "a👩‍👩‍👧": 6, "a \n\t": 4 }

export const accountRules = [
  ...keys,
  billing.ownRule("account", "synthesis is billed per Unicode code point of the text", async (service) => {
    for (const [word, cost] of Object.entries(costs)) {
      const request = () => service.synthesize({ text: word, lang: "en", output_format: "8000:pcm16" })
      const credits = await creditsFor(service, 200, request)
      demand(credits === cost, `${credits} for ${word}`)
    }
  }),
  billing.ownRule("account", "a failed synthesis is not billed", async (service) => {
    const { platform, synthesize } = service
    const fail = (status: number) => async () => {
      await platform("PUT", "faults", [{ operation: "synthesize", status, times: 1 }])
      return synthesize({ text })
    }
    for (const [status, request] of [
      [400, () => synthesize({ text, lang: "tlh" })],
      [401, () => callWith(synthesis, service, unknownKey)],
      [500, fail(500)],
      [502, fail(502)]
    ] as const) {
      const credits = await creditsFor(service, status, request)
      demand(credits === 0, `${credits} for a ${status}`)
    }
  }),
  billing.ownRule(
    "account",
    "transcription is metered against the balance, in a unit that is not specified",
    async (service) => {
      const credits = await creditsFor(service, 200, () => service.transcribe())
      demand(credits > 0, `${credits} for a second`)
    }
  )
]
