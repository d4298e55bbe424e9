/** What a person does in the rooms of the console, with 10,000 requests and 300 runs. */
import type { Page } from "playwright-core"
import { type Reaction, reaction } from "./reactions.js"

export const rooms = ["Try", "Requests", "Runs", "Faults", "Account"] as const
type Room = (typeof rooms)[number]

export const roomLink = (page: Page, room: Room) =>
  page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: new RegExp(`^${room}\\b`) })

/** An expression that holds when a room is shown, with at least one of these parts. */
const hasPart = (room: Room, part: string) => `document.querySelector('.room.${room.toLowerCase()} ${part}') !== null`

const parts: Readonly<Record<Room, string>> = {
  Try: "textarea",
  Requests: 'a[href^="#/requests/"]',
  Runs: 'a[href^="#/runs/"]',
  Faults: "button",
  Account: "button"
}
const isShown = (room: Room) =>
  room === "Try" ? "document.querySelector('.room.try').closest('[hidden]') === null" : hasPart(room, parts[room])

export const show = async (page: Page, room: Room): Promise<Reaction> =>
  reaction(page, `show the room ${room}`, () => roomLink(page, room).click(), isShown(room))

const textOf = (room: Room) => `document.querySelector('.room.${room.toLowerCase()}').textContent`
const requestLinks = `[...document.querySelectorAll('.room.requests a[href^="#/requests/"]')]`

const inRequests = async (page: Page, latest: number): Promise<ReadonlyArray<Reaction>> => {
  const { keyboard } = page
  const link = page.locator(`.room.requests a[href="#/requests/${latest}"]`).first()
  const opened = await reaction(
    page,
    "open a request",
    () => link.click(),
    "document.querySelector('.request-pane h2') !== null"
  )
  const next = await reaction(
    page,
    "go to the next by a key",
    () => keyboard.press("j"),
    `location.hash !== "#/requests/${latest}"`
  )
  await keyboard.press("Escape")
  await page.locator(".room.requests li").first().hover()
  const scrolled = await reaction(
    page,
    "scroll the list by 1,000 requests",
    () => page.mouse.wheel(0, 60_000),
    `${requestLinks}.some(({ hash }) => Number(hash.slice(11)) < ${latest - 500})`
  )
  // The text of a request without a key is not read.
  const words = `text ${latest - 2}`
  await keyboard.press("/")
  await keyboard.type(words.slice(0, -1))
  const found = await reaction(
    page,
    "search, at the last letter",
    () => keyboard.press(words.slice(-1)),
    `${requestLinks}.length === 1`
  )
  await keyboard.press("Escape")
  const failed = await reaction(
    page,
    "show the failed ones only",
    () => page.getByRole("button", { name: /^Failed/ }).click(),
    `${requestLinks}.length > 5 && !/Status 200|Request \\d+, 200/.test(${textOf("Requests")})`
  )
  await page.getByRole("button", { name: "All", exact: true }).click()
  return [opened, next, scrolled, found, failed]
}

export const useRooms = async (page: Page, latest: number): Promise<ReadonlyArray<Reaction>> => {
  const requests = [await show(page, "Requests"), ...(await inRequests(page, latest))]
  const runs = await show(page, "Runs")
  const run = await reaction(
    page,
    "open a run",
    () => page.locator(`.room.runs a[href^="#/runs/"]`).first().click(),
    `location.hash.startsWith("#/runs/") && ${textOf("Runs")}.includes(location.hash.slice(7))`
  )
  const others = [await show(page, "Faults"), await show(page, "Account"), await show(page, "Try")]
  const text = page.getByRole("textbox", { name: "Text", exact: true })
  await text.fill("Platform two")
  const typed = await reaction(
    page,
    "type a letter of a text",
    () => text.press("."),
    `${textOf("Try")}.includes("13 of 10,000 code points")`
  )
  return [...requests, runs, run, ...others, typed]
}
