import { createHash, randomUUID } from "node:crypto"
import * as Context from "effect/Context"

export interface StampOptions {
  /** From which ids are made, the same ones in the same order. Default: they are random. */
  readonly seed?: number | undefined
  /** The time that is told, whenever it is. Default: the time it is. */
  readonly fixedTime?: Date | undefined
}

/** The ids and times that the service gives out. */
export class Stamps extends Context.Tag("@effect-speech/local-service/internal/Stamps")<
  Stamps,
  {
    /** A UUID. */
    readonly id: () => string
    readonly now: () => Date
    /** Begins anew, with other options where there are some. */
    readonly restart: (options?: StampOptions) => void
  }
>() {}

export const makeStamps = (initial: StampOptions): Stamps["Type"] => {
  let options = initial
  let count = 0
  return {
    id: () => (options.seed === undefined ? randomUUID() : seeded(`${options.seed}:${count++}`)),
    now: () => options.fixedTime ?? new Date(),
    restart: (next) => {
      options = { ...initial, ...next }
      count = 0
    }
  }
}

/** A UUID of version 4 (RFC 9562, 5.4), its random bits from a digest. */
const seeded = (source: string): string => {
  const bytes = createHash("sha256").update(source).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
