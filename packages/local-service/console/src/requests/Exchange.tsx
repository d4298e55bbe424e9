/** A request and its response, as they were sent. */
import * as Option from "effect/Option"
import type { RequestDetails } from "../../../src/internal/console/messages.js"
import type { JournalEntry } from "../../../src/Journal.js"
import { bytes, duration, number, plural, took } from "../format.js"
import { billingOf } from "./billing.js"
import { isInProgress } from "./outcome.js"
import { decodeObject } from "./transcript.js"

type Headers = RequestDetails["request"]["headers"]

interface ExchangeProps {
  readonly entry: JournalEntry
  /** `undefined`: not read yet, or not kept. */
  readonly details: RequestDetails | undefined
}

export const RequestPart = ({ details, entry }: ExchangeProps) => {
  const { fileBytes, fileName, keyId, request } = entry
  return (
    <section class="pane-part" aria-label={`Request ${entry.number}, as it was sent`}>
      <h3>Request</h3>
      <dl class="facts">
        {Object.entries(request ?? {})
          .filter(([, value]) => !isEmpty(value))
          .map(([name, value]) => (
            <Fact key={name} name={name} value={typeof value === "string" ? value : JSON.stringify(value)} />
          ))}
        {fileName !== undefined && (
          <Fact name="audio_file" value={`${fileName}${fileBytes === undefined ? "" : `, ${bytes(fileBytes)}`}`} />
        )}
        <Fact name="key" value={keyId === null ? noKey(entry) : (keyNames.get(keyId) ?? keyId)} />
      </dl>
      {request === null && <p class="quiet">Its fields were not read, or are no longer kept.</p>}
      {entry.shortened && <p class="quiet">The journal shows only a part of these fields.</p>}
      {details !== undefined && (
        <Headers
          name={`${details.request.method} ${details.request.path}`}
          headers={details.request.headers}
          label={`Headers of request ${entry.number}`}
        />
      )}
      {details?.request.body != null && (
        <details>
          <summary>Body</summary>
          <Body text={details.request.body} label={`Body of request ${entry.number}`} />
        </details>
      )}
    </section>
  )
}

/** The ids that are no key. */
const keyNames: ReadonlyMap<string, string> = new Map([
  ["console", "none: this page sent it"],
  ["replay", "any: a replay accepts each"]
])

const noKey = (entry: JournalEntry): string => {
  const { fault, refusedKeyId } = entry
  if (refusedKeyId !== undefined) return keyNames.get(refusedKeyId) ?? `${refusedKeyId}, which was refused`
  return isInProgress(entry) ? "not checked yet" : fault === undefined ? "none was accepted" : "not checked"
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const Fact = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <bdi>{value}</bdi>
    </dd>
  </>
)

export const ResponsePart = ({ details, entry }: ExchangeProps) => {
  const { audioMillis, millis, sentBytes, status } = entry
  const facts = [
    millis !== null && `after ${took(millis)}`,
    sentBytes !== undefined && sentBytes > 0 && `${number(sentBytes)} bytes`,
    audioMillis !== undefined && `${duration(audioMillis)} of audio`,
    billingOf(entry)
  ].filter(Boolean)
  const response = details?.response
  const bodyLabel = `Body of response ${entry.number}`
  return (
    <section class="pane-part" aria-label={`Response to request ${entry.number}`}>
      <h3>Response</h3>
      <p class="quiet">
        {status !== null
          ? `HTTP ${status}`
          : isInProgress(entry)
            ? "There is no response yet."
            : "No response was sent."}
        {facts.map((fact) => ` · ${fact}`)}
      </p>
      {response?.body != null &&
        (response.body.length <= shortBody || response.status >= 400 ? (
          <Body text={response.body} label={bodyLabel} />
        ) : (
          <details>
            <summary>Body</summary>
            <Body text={response.body} label={bodyLabel} />
          </details>
        ))}
      {response != null && (
        <Headers name="Headers" headers={response.headers} label={`Headers of response ${entry.number}`} />
      )}
    </section>
  )
}

/** In characters. A longer body is folded, unless it says why a request failed. */
const shortBody = 400

interface HeadersProps {
  readonly name: string
  readonly headers: Headers
  readonly label: string
}

const Headers = ({ headers, label, name }: HeadersProps) =>
  headers.length === 0 ? null : (
    <details>
      <summary>
        <code>{name}</code> · {plural(headers.length, "header")}
      </summary>
      <dl class="facts headers" aria-label={label}>
        {headers.map(([header, value], index) => (
          <Fact key={index} name={header} value={value} />
        ))}
      </dl>
    </details>
  )

/** JSON is indented. Any other text stays as it is. */
const Body = ({ label, text }: { readonly text: string; readonly label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls with the keyboard.
  <section class="body" tabIndex={0} aria-label={label}>
    <pre dir="auto">
      {Option.match(decodeObject(text), {
        onNone: () => text,
        onSome: (object) => JSON.stringify(object, undefined, 2)
      })}
    </pre>
  </section>
)
