/** The address of the page, which says what it shows: `#/requests/613?only=failed`. */
import { makeStore } from "./store.js"

export const rooms = ["try", "requests", "runs", "faults", "account"] as const
export type Room = (typeof rooms)[number]

export interface Address {
  readonly room: Room
  /** What follows the room, decoded: `["613"]`. */
  readonly path: ReadonlyArray<string>
  /** The part after `?`. */
  readonly query: string
}

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Reads the part of an address from `#` on. An unknown room is the first one. */
export const readAddress = (hash: string): Address => {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2)
  const [first, ...rest] = path.split("/").filter(Boolean).map(decode)
  const room = rooms.find((each) => each === first)
  return room === undefined ? { room: rooms[0], path: [], query: "" } : { room, path: rest, query }
}

/** The link to a room, or to a thing in it. */
export const linkTo = (room: Room, path: ReadonlyArray<string | number> = [], query = ""): string =>
  `#/${[room, ...path].map((part) => encodeURIComponent(part)).join("/")}${query === "" ? "" : `?${query}`}`

export const address = makeStore<Address>(readAddress(location.hash))

/** The address of an unknown room becomes that of the room which is shown. A part without a slash may be a code to sign in with. */
const replaceUnknown = (): void => {
  const [, first] = /^#\/([^/?]+)/.exec(location.hash) ?? []
  if (first !== undefined && !rooms.some((room) => room === decode(first))) {
    history.replaceState(null, "", linkTo(rooms[0]))
  }
}

replaceUnknown()
window.addEventListener("hashchange", () => {
  replaceUnknown()
  address.set(readAddress(location.hash))
})

/** Shows another place. The browser's back button returns from it, unless it replaces the present one. */
export const show = (link: string, { replace = false }: { readonly replace?: boolean } = {}): void => {
  if (location.hash === link) return
  if (!replace) {
    location.hash = link
    return
  }
  history.replaceState(null, "", link)
  address.set(readAddress(link))
}
