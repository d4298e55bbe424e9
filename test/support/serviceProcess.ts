/** The local service as a process of its own, for checks that measure it or kill it. */
import type { SherpaOptions } from "@effect-speech/engine-sherpa/Sherpa"
import type { LocalServiceMakeOptions } from "@effect-speech/local-service/LocalService"
import type { Footprint } from "./footprint.js"
import { send } from "./plainHttp.js"
import { startScript } from "./processes.js"

export interface ServiceOptions extends Omit<LocalServiceMakeOptions, "fixedTime" | "record"> {
  /** In milliseconds since 1970. Default: the system clock. */
  readonly fixedMillis?: number | undefined
  /** Keeps the exchanges with another service. Default: none. */
  readonly record?: RecordedService | undefined
  /** Speech of this length for every text, at once. Default: the real voice. */
  readonly cannedSeconds?: number | undefined
  /** The noise of `noiseOf` for each text, at once. Default: the real voice. */
  readonly cannedByText?: boolean | undefined
  /** A folder of models, which speak and recognise instead. */
  readonly engine?: SherpaOptions | undefined
  /** How many seconds of recordings the recogniser remembers. Default: its own default. */
  readonly knownSeconds?: number | undefined
}

/** The service to record, with its key as text. */
export interface RecordedService extends Omit<NonNullable<LocalServiceMakeOptions["record"]>, "apiKey"> {
  readonly apiKey: string
}

export interface Ready {
  readonly sttBaseUrl: string
  readonly ttsBaseUrl: string
  readonly platformUrl: string
  readonly adminToken: string
  /** `null` if the service made none. */
  readonly apiKey: string | null
}

export type Sample = Footprint & {
  /** User and system time of the process so far. */
  readonly cpuMicros: number
  /** The longest time for which it computed without a turn of its event loop, since `resetPeak`. 0 before the first. */
  readonly heldMillis: number
  readonly pid: number
}

/** Starts the service. It puts its temporary files into the folder `temporary`. */
export const startService = async (options: ServiceOptions, { temporary }: { readonly temporary: string }) => {
  const began = performance.now()
  const script = new URL("serviceChild.js", import.meta.url)
  const { kill, ready, request, stop } = await startScript<Ready>(script, [JSON.stringify(options)], {
    TMPDIR: temporary
  })
  return {
    ...ready,
    /** From the start of the process until it is ready, in milliseconds. */
    startMillis: performance.now() - began,
    /** Sends a request to the platform API. */
    platform: async (method: string, path: string, body?: unknown) => {
      const response = await send(`${ready.platformUrl}/platform/api/${path}`, {
        method,
        // The service closes a connection that was idle for five seconds, perhaps at the very moment of the next request.
        agent: false,
        headers: { "x-admin-token": ready.adminToken, "content-type": "application/json" },
        body: body === undefined ? [] : [JSON.stringify(body)]
      })
      return { status: response.status, body: JSON.parse(response.bytes.toString() || "null") }
    },
    sample: () => request<Sample>("sample"),
    /** A sample after a garbage collection. */
    sampleCollected: () => request<Sample>("collect"),
    /** A sample. `peak` and `heldMillis` count from now on, if the system can do that. */
    resetPeak: () => request<Sample>("resetPeak"),
    /** Lets the service shut down. */
    stop,
    kill
  }
}

export type ServiceProcess = Awaited<ReturnType<typeof startService>>
