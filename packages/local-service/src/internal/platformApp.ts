import { timingSafeEqual } from "node:crypto"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Account, Accounts } from "../Accounts.js"
import { firstIssue, recoverDefects } from "./requests.js"

interface Problem {
  readonly status: number
  readonly message: string
}

const answer = (status: number, body: unknown) => HttpServerResponse.unsafeJson(body, { status })

const NewKey = Schema.Struct({ name: Schema.NonEmptyString, confirm: Schema.optional(Schema.Boolean) })

const readBody = <A, I>(schema: Schema.Schema<A, I>) =>
  HttpServerRequest.schemaBodyJson(schema).pipe(
    Effect.mapError(
      (error): Problem => ({
        status: 400,
        message: error._tag === "ParseError" ? firstIssue(error) : "the body is not JSON"
      })
    )
  )

/** The account platform: its API is our own, since the contract names what it does and not how. */
export const platformApp = (adminToken: Redacted.Redacted) =>
  HttpRouter.empty.pipe(
    HttpRouter.get(
      "/platform/api/account",
      Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.account, (account) => answer(200, account)))
    ),
    HttpRouter.patch(
      "/platform/api/account",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const changes = yield* readBody(Schema.partialWith(Account, { exact: true }))
        return answer(200, yield* accounts.setAccount(changes))
      })
    ),
    HttpRouter.get(
      "/platform/api/keys",
      Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.keys, (keys) => answer(200, keys)))
    ),
    HttpRouter.post(
      "/platform/api/keys",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { confirm, name } = yield* readBody(NewKey)
        const { active } = yield* accounts.keys
        if (active !== null && confirm !== true) {
          return yield* Effect.fail<Problem>({
            status: 409,
            message: `the key ${active.name} is active and would be revoked at once; confirm with "confirm": true`
          })
        }
        const { key, record } = yield* accounts.createKey(name, "platform")
        return answer(201, { ...record, key: Redacted.value(key) })
      })
    ),
    HttpRouter.post(
      "/platform/api/keys/:id/revoke",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { id = "" } = yield* HttpRouter.params
        if (!(yield* accounts.revokeKey(id))) {
          return yield* Effect.fail<Problem>({ status: 404, message: "there is no key of this id" })
        }
        return answer(200, yield* accounts.keys)
      })
    ),
    HttpRouter.use((route) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        isAdmin(request.headers["x-admin-token"], adminToken)
          ? route
          : Effect.fail<Problem>({ status: 401, message: "X-Admin-Token is missing or wrong" })
      )
    ),
    recoverDefects((message): Problem => ({ status: 500, message })),
    Effect.catchTag("RouteNotFound", () => Effect.fail<Problem>({ status: 404, message: "nothing is here" })),
    Effect.catchAll(({ message, status }) => Effect.succeed(answer(status, { error: message })))
  )

const isAdmin = (given: string | undefined, adminToken: Redacted.Redacted): boolean => {
  const token = Buffer.from(Redacted.value(adminToken))
  const offered = Buffer.from(given ?? "")
  return offered.length === token.length && timingSafeEqual(offered, token)
}
