/** A run: how it stands, its text, and its pieces or files. What failed comes first. */
import { useEffect, useRef, useState } from "preact/hooks"
import { linkTo } from "../address.js"
import { duration, number, plural, when } from "../format.js"
import { billedElsewhere } from "../requests/billing.js"
import { Words } from "../Words.js"
import type { Run, RunFile } from "./groupRuns.js"
import { More, RunCalls } from "./RunCalls.js"
import { activity, amount, kindNames, titleOf, titleOfFile, wordsOfCall } from "./runText.js"
import { Strip } from "./Strip.js"
import { WholeRun } from "./WholeRun.js"

export interface RunPaneProps {
  readonly run: Run
  readonly now: number
}

export const RunPane = ({ now, run }: RunPaneProps) => {
  const { calls, files, kind } = run
  const [file] = files
  const failed = calls.filter(({ state }) => state === "failed")
  const others = calls.filter(({ state }) => state !== "failed")
  // A whole file that failed is only among the failed.
  const listedFiles = files.filter(({ calls: [call] }) => call?.piece !== undefined || call?.state !== "failed")
  return (
    <PaneFrame label={titleOf(run).text}>
      <Heading run={run} now={now} />
      <Facts run={run} now={now} />
      {kind !== "archive" && file && <WholeRun key={run.id} run={run} file={file} />}
      {failed.length > 0 && (
        <section>
          <h3>Failed</h3>
          <RunCalls label="Failed" calls={failed} isMixed={kind === "archive"} />
        </section>
      )}
      {kind === "archive"
        ? listedFiles.length > 0 && (
            <section>
              <h3>Files</h3>
              <FileList files={listedFiles} />
            </section>
          )
        : others.length > 0 && (
            <section>
              <h3>Pieces</h3>
              <RunCalls label="Pieces" calls={others} />
            </section>
          )}
    </PaneFrame>
  )
}

/** The run of an address that is not here. */
export const NoRun = ({ name }: { readonly name: string }) => (
  <PaneFrame label={`No run ${name}`}>
    <h2 tabIndex={-1}>
      No run <bdi>{name}</bdi>
    </h2>
    <p>
      The journal has fewer than two of its pieces: it keeps the latest thousand requests, and forgets them when you
      clear it.
    </p>
  </PaneFrame>
)

const PaneFrame = ({ children, label }: { readonly children: preact.ComponentChildren; readonly label: string }) => (
  <section class="run-pane" aria-label={label}>
    <a class="run-back" href={linkTo("runs")}>
      All runs
    </a>
    {children}
  </section>
)

const Heading = ({ now, run }: RunPaneProps) => {
  const { id, kind } = run
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // On a narrow screen the pane takes the place of the list, which had the focus.
    if (document.activeElement === document.body) heading.current?.focus()
  }, [id])
  return (
    <div>
      <h2 ref={heading} tabIndex={-1}>
        <Words {...titleOf(run)} />
      </h2>
      <p class="quiet">
        {kindNames[kind]} · {amount(run, now)} · <code>{kind === "text" ? id : `${id}-…`}</code>
      </p>
    </div>
  )
}

const Facts = ({ now, run }: RunPaneProps) => {
  const { activeAt, audioMillis, calls, counts, credits, first, requests } = run
  const current = counts.busy > 0 ? "" : activity(run, now)
  const isBilledElsewhere = calls.some(({ attempts }) => attempts.some(({ billing }) => billing === "notKnown"))
  const counted = [
    counts.failed > 0 && `${number(counts.failed)} failed`,
    counts.busy > 0 && `${number(counts.busy)} in progress`,
    counts.done > 0 && `${number(counts.done)} done`
  ].filter((count) => count !== false)
  return (
    <>
      <div class="run-summary">
        <Strip calls={calls} />
        <p>
          {counted.join(" · ")}
          {current !== "" && <span class="quiet"> · {current}</span>}
        </p>
      </div>
      <dl class="facts">
        <dt>Time</dt>
        <dd>
          {when(first.at)}–{when(new Date(activeAt).toISOString())}
          <span class="quiet"> · {duration(Math.max(0, activeAt - Date.parse(first.at)))}</span>
        </dd>
        {audioMillis > 0 && (
          <>
            <dt>Audio</dt>
            <dd>{duration(audioMillis)}</dd>
          </>
        )}
        <dt>Cost</dt>
        <dd>
          {isBilledElsewhere ? billedElsewhere : credits === 0 ? "not billed" : plural(credits, "credit")}
          <span class="quiet">
            {" · "}
            {plural(requests, "request")}
            {requests > calls.length && `, ${number(requests - calls.length)} of them sent again`}
          </span>
        </dd>
      </dl>
    </>
  )
}

const filesAtFirst = 100

const FileList = ({ files }: { readonly files: ReadonlyArray<RunFile> }) => {
  const [count, setCount] = useState(filesAtFirst)
  return (
    <>
      <ul class="run-calls run-files" aria-label="Files">
        {files.slice(0, count).map((file) => (
          <FileRow key={file.id} file={file} />
        ))}
      </ul>
      <More all={files.length} shown={count} onMore={() => setCount(count + filesAtFirst)} />
    </>
  )
}

const FileRow = ({ file }: { readonly file: RunFile }) => {
  const { calls } = file
  const [call] = calls
  if (call === undefined) return null
  const failed = calls.filter(({ state }) => state === "failed").length
  const busy = calls.filter(({ state }) => state === "busy").length
  const kind = failed > 0 ? "bad" : busy > 0 ? "busy" : "good"
  const word = failed > 0 ? "failed" : busy > 0 ? "in progress" : "done"
  const isWhole = call.piece === undefined
  const title = titleOfFile(file)
  const words = wordsOfCall(call)
  return (
    <li class="run-call">
      {isWhole ? (
        <>
          <a class="run-words" href={linkTo("requests", [call.latest.number])}>
            <span class="hidden">Request {call.latest.number}: </span>
            <Words {...title} />
          </a>
          <span class="run-facts">{words.text !== title.text && <Words {...words} />}</span>
        </>
      ) : (
        <details class="run-words">
          <summary>
            <Words {...title} /> <span class="quiet">{plural(calls.length, "piece")}</span>
          </summary>
          <RunCalls label={`Pieces of ${title.text}`} calls={calls} />
        </details>
      )}
      <span class="run-state" data-kind={kind}>
        {word}
      </span>
    </li>
  )
}
