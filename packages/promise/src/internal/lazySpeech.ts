/**
 * A speech for which nothing is sent until it is used, in one of its ways.
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import type { PcmStream } from "@effect-speech/audio-codec/PcmStream"
import * as Wav from "@effect-speech/audio-codec/Wav"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { AudioStream, Speech } from "../Speech.js"
import type { Caller, Calls } from "./calls.js"
import { type Chunks, makeChunks, toIterator, toReadable } from "./chunks.js"
import { cancelled, invalidRequest, toSpeechError } from "./errors.js"
import { tryOutput } from "./outputFile.js"
import { pathOf } from "./paths.js"
import { openSession, type Session, type SessionLimit } from "./session.js"

/** A speech whose response has begun. */
export interface OpenSpeech<Start, Report> {
  readonly start: Start
  readonly audio: PcmStream<unknown>
  readonly report: Effect.Effect<Report>
}

/** How a speech is made. */
export interface SpeechSource<Whole, Start, Written, Report> {
  readonly open: () => Effect.Effect<OpenSpeech<Start, Report>, unknown, Scope.Scope>
  /** The total time limit, for a speech that nobody reads. `undefined`: none. */
  readonly limit: SessionLimit<OpenSpeech<Start, Report>> | undefined
  /** The whole audio, from the beginning. */
  readonly whole: () => Effect.Effect<Whole, unknown>
  /** The whole audio of a speech that is open. */
  readonly collect: (speech: OpenSpeech<Start, Report>) => Effect.Effect<Whole, unknown>
  /** Writes a file, from the beginning. Default: opens the speech, and then as `writeOpen`. */
  readonly write: ((path: string) => Effect.Effect<Written, unknown, FileSystem>) | undefined
  /** Writes a file of a speech that is open. */
  readonly writeOpen: (speech: OpenSpeech<Start, Report>, path: string) => Effect.Effect<Written, unknown, FileSystem>
  /** The report of a speech that was read whole, without a session. */
  readonly reportOf: (outcome: Whole | Written) => Report
  /** The report of one that failed. @throws the error, if there is none. */
  readonly reportOfError: (error: unknown) => Report
  /** The report of one that was not used. */
  readonly unused: () => Promise<Report>
}

/** What a speech runs with. */
export interface SpeechParts {
  readonly calls: Calls
  readonly caller: Caller
  readonly files: Effect.Effect<Context.Context<FileSystem>>
}

type AnySpeech<Whole, Start, Written, Report> = Omit<Speech<Whole, Start, Written>, "report"> & {
  readonly report: () => Promise<Report>
}

export class LazySpeech<Whole, Start, Written, Report> implements AnySpeech<Whole, Start, Written, Report> {
  readonly #source: SpeechSource<Whole, Start, Written, Report>
  readonly #parts: SpeechParts
  #session: Session<OpenSpeech<Start, Report>> | undefined
  #whole: Promise<Whole> | undefined
  #isUsed = false
  /** It was used in a way that has no session, so it can't be started any more. */
  #isUnopened = false
  /** Its reader cancelled it before it was opened. */
  #isCancelled = false
  #report: () => Promise<Report>

  constructor(source: SpeechSource<Whole, Start, Written, Report>, parts: SpeechParts) {
    this.#source = source
    this.#parts = parts
    this.#report = source.unused
  }

  async start(): Promise<Start> {
    if (this.#isUnopened) this.#use()
    if (this.#isCancelled) throw cancelled(this.#parts.caller.site)
    return (await this.#open().opened).start
  }

  // biome-ignore lint/suspicious/noThenProperty: an await of a speech gives its whole audio.
  then<A = Whole, B = never>(
    onFulfilled?: ((whole: Whole) => A | PromiseLike<A>) | null,
    onRejected?: ((error: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#collect().then(onFulfilled, onRejected)
  }

  catch<A = never>(onRejected?: ((error: unknown) => A | PromiseLike<A>) | null): Promise<Whole | A> {
    return this.#collect().catch(onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<Whole> {
    return this.#collect().finally(onFinally)
  }

  get [Symbol.toStringTag](): string {
    return "Speech"
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    this.#use()
    return toIterator(this.#chunks(({ audio }) => audio.stream))
  }

  stream(): AudioStream {
    this.#use()
    return toReadable(this.#chunks(({ audio }) => audio.stream))
  }

  wav(): AudioStream {
    this.#use()
    return this.#wav()
  }

  async toFile(target: string | URL): Promise<Written> {
    const path = Either.getOrElse(pathOf(target), (problem) => this.#refuse("path", problem))
    this.#use()
    const { caller, calls, files } = this.#parts
    const { write, writeOpen } = this.#source
    caller.path = path
    const withFiles = <A>(writing: Effect.Effect<A, unknown, FileSystem>) =>
      Effect.flatMap(files, (context) => Effect.provide(writing, context))
    if (this.#session === undefined) await calls.run(withFiles(tryOutput(path)), caller)
    if (write === undefined || this.#session !== undefined) {
      const session = this.#open()
      const file = await session.use((speech) => withFiles(writeOpen(speech, path)))
      await session.close()
      return file
    }
    this.#isUnopened = true
    const file = calls.run(withFiles(write(path)), caller)
    this.#report = () => this.#reportOf(file)
    return file
  }

  async response(init: ResponseInit = {}): Promise<Response & { readonly body: AudioStream }> {
    const headers = this.#headersOf(init)
    this.#use()
    const { audio } = await this.#open().opened
    const length = Wav.contentLength(audio)
    if (length !== undefined) headers.set("content-length", String(length))
    const body = this.#wav()
    return new Response(body, { ...init, headers }) as Response & { readonly body: AudioStream }
  }

  report(): Promise<Report> {
    return this.#report()
  }

  /** @throws SpeechError if the speech was used before. */
  #use(): void {
    if (this.#isUsed) this.#refuse("speech", "was used before, and it can be used once; call speak again")
    this.#isUsed = true
  }

  /** @throws SpeechError that says what is wrong with a value. */
  #refuse(field: string, problem: string): never {
    const { operation, site } = this.#parts.caller
    throw toSpeechError(invalidRequest(operation, field, problem), site)
  }

  /** The headers of a response. @throws SpeechError if the options are not those of a response with a body. */
  #headersOf(init: ResponseInit): Headers {
    try {
      const headers = new Headers(init.headers)
      if (!headers.has("content-type")) headers.set("content-type", "audio/wav")
      new Response(new ReadableStream(), { ...init, headers })
      return headers
    } catch (error) {
      return this.#refuse("init", `is not that of a response with a body (${error})`)
    }
  }

  #open(): Session<OpenSpeech<Start, Report>> {
    if (this.#session !== undefined) return this.#session
    const { caller, calls } = this.#parts
    const { limit, open } = this.#source
    const session = openSession(calls, { open: open(), limit }, caller)
    this.#session = session
    this.#report = () => session.opened.then(({ report }) => Effect.runSync(report), this.#source.reportOfError)
    return session
  }

  #collect(): Promise<Whole> {
    if (this.#whole !== undefined) return this.#whole
    try {
      this.#use()
    } catch (error) {
      return Promise.reject(error)
    }
    const { caller, calls } = this.#parts
    const session = this.#session
    const whole =
      session === undefined
        ? calls.run(this.#source.whole(), caller)
        : session.use(this.#source.collect).then(async (audio) => {
            await session.close()
            return audio
          })
    if (session === undefined) {
      this.#isUnopened = true
      this.#report = () => this.#reportOf(whole)
    }
    this.#whole = whole
    return whole
  }

  #reportOf(outcome: Promise<Whole | Written>): Promise<Report> {
    const { reportOf, reportOfError } = this.#source
    return outcome.then(reportOf, reportOfError)
  }

  #wav(): AudioStream {
    return toReadable(this.#chunks(({ audio }) => Wav.encodeStream(audio)))
  }

  #chunks(streamOf: (speech: OpenSpeech<Start, Report>) => Stream.Stream<Uint8Array, unknown>): Chunks {
    return makeChunks(
      { current: () => this.#session, open: () => this.#open(), cancelUnopened: () => this.#cancelUnopened() },
      streamOf
    )
  }

  #cancelUnopened(): void {
    this.#isCancelled = true
    this.#report = async () => {
      throw cancelled(this.#parts.caller.site)
    }
  }
}
