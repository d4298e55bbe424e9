import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"

/** A response. Header names are in lower case. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly text: string
  /** The body did not break off. */
  readonly complete: boolean
  readonly json: () => ReturnType<typeof JSON.parse>
}

export interface Asked {
  readonly method: string
  readonly target: string
}

interface ResponseDescription {
  readonly $ref?: string
  readonly headers?: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: { readonly type?: string } }>
  >
  readonly content?: Readonly<Record<string, unknown>>
}

interface DescribedOperation {
  readonly servers?: ReadonlyArray<{ readonly url: string }>
  readonly responses: Readonly<Record<string, ResponseDescription>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
}

/** Headers that any response may have. */
const ofAnyResponse = ["date", "connection", "keep-alive", "content-type", "content-length", "transfer-encoding"]

/** Statuses that do not depend on method and path. */
const beforeRouting = [400, 408, 413, 417, 421, 431]

const methods = ["get", "post", "put", "patch", "delete"]

/** Checks a value against the schema at a JSON pointer. Returns what is wrong. */
type SchemaCheck = (pointer: string, value: unknown) => string | undefined

const schemaChecks = new Map<string, SchemaCheck>()

/** What differs between services: their addresses, and the name of a cookie, which has a port in it. */
const ofOneService = ["servers", "securitySchemes"]

/** The schemas of a document, which services of the same options share: to compile them takes longer than most tests. */
const schemasOf = (document: Document): SchemaCheck => {
  const text = JSON.stringify(document, (name, value) => (ofOneService.includes(name) ? undefined : value))
  const known = schemaChecks.get(text)
  if (known !== undefined) return known
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, "document:")
  const compiled = new Map<string, ValidateFunction>()
  const check: SchemaCheck = (pointer, value) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `document:#${pointer}` })
    compiled.set(pointer, validate)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
  schemaChecks.set(text, check)
  return check
}

/** Checks responses against an OpenAPI document. */
export const responseChecker = (document: Document) => {
  const check = schemasOf(document)

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ path, method, operation, server: operation.servers?.[0]?.url ?? "" }]
    })
  )
  const matches = (path: string, target: string) =>
    new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`).test(target)

  /** JSON pointers to every description that may apply to a response. */
  const places = (server: string, asked: Asked | undefined, status: number): ReadonlyArray<string> => {
    const here = operations.filter((each) => each.server === server)
    const pointer = ({ method, path }: { readonly method: string; readonly path: string }) =>
      `/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/${method}/responses/${status}`
    const documented = (all: typeof here) => all.filter((each) => status in each.operation.responses).map(pointer)
    if (asked === undefined) return beforeRouting.includes(status) ? documented(here) : []
    const whole = asked.target.startsWith("/") ? `http://localhost${asked.target}` : asked.target
    const target = URL.canParse(whole) ? new URL(whole).pathname : "/nowhere"
    const atPath = here.filter(({ path }) => matches(path, target))
    if (atPath.length === 0) {
      if (status === 404 && server === "") return ["/components/responses/PlatformNotFound"]
      return status === 404 || beforeRouting.includes(status) ? documented(here) : []
    }
    const method = asked.method === "HEAD" ? "get" : asked.method.toLowerCase()
    const exact = atPath.filter((each) => each.method === method)
    if (exact.length > 0) return documented(exact)
    return status === 405 || beforeRouting.includes(status) ? documented(atPath) : []
  }

  const at = (pointer: string): ResponseDescription =>
    pointer
      .slice(1)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce((found: unknown, part) => (found as Record<string, unknown>)[part], document) as ResponseDescription

  const problemAt = (pointer: string, answer: Answer, head: boolean): string | undefined => {
    const { content, headers = {} } = at(pointer)
    for (const [name, header] of Object.entries(headers)) {
      const value = answer.headers[name.toLowerCase()]
      if (value === undefined) {
        if (header.required === true) return `has no ${name}`
        continue
      }
      const typed = header.schema.type === "integer" ? Number(value) : value
      const wrong = check(`${pointer}/headers/${name}/schema`, typed)
      if (wrong !== undefined) return `${name}: ${wrong}`
    }
    const known = [...ofAnyResponse, ...Object.keys(headers).map((name) => name.toLowerCase())]
    const strange = Object.keys(answer.headers).filter((name) => !known.includes(name))
    if (strange.length > 0) return `has headers that are not described: ${strange.join(", ")}`
    if (head || content === undefined) return answer.bytes.length === 0 ? undefined : "has a body"
    const type = answer.headers["content-type"]?.split(";")[0] ?? ""
    if (!(type in content) && !(type.replace(/\/.*/, "/*") in content)) return `is ${type}`
    if (
      answer.headers["content-length"] !== undefined &&
      Number(answer.headers["content-length"]) !== answer.bytes.length
    )
      return "is not as long as it says"
    if (type !== "application/json") return undefined
    return check(`${pointer}/content/application~1json/schema`, answer.json())
  }

  /** How a response differs from the document, or `undefined`. */
  return (server: string, asked: Asked | undefined, answer: Answer): string | undefined => {
    const pointers = places(server, asked, answer.status)
    if (pointers.length === 0) return `${answer.status} is not described`
    const problems = pointers.map((pointer) => problemAt(pointer, answer, asked?.method === "HEAD"))
    return problems.includes(undefined) ? undefined : problems[0]
  }
}

export type ResponseChecker = ReturnType<typeof responseChecker>
