/** The links of a built site. */
import { readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"

/** The address of a file as a browser asks for it: without `.html` and `index`. */
const addressOf = (file: string) => `/${file.replaceAll("\\", "/").replace(/(^|\/)index\.html$|\.html$/, "$1")}`

const decode = (text: string) => decodeURIComponent(text.replaceAll("&amp;", "&"))

/** Follows each link of each page that stays on the site. */
export const findBrokenLinks = (dist: string) => {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"))
  const html = new Map(files.map((file) => [addressOf(file), readFileSync(join(dist, file), "utf8")]))
  const anchors = new Map(
    [...html].map(([page, text]) => [
      page,
      new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => decode(id)))
    ])
  )
  const assets = new Set(
    readdirSync(dist, { recursive: true, encoding: "utf8" }).map((file) => `/${file.replaceAll("\\", "/")}`)
  )
  const broken: Array<string> = []
  let links = 0
  for (const [page, text] of html) {
    for (const [, href = ""] of text.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(href)) continue
      links++
      const [path = "", anchor = ""] = href.split("#")
      const target =
        path === ""
          ? page
          : posix.resolve(page.endsWith("/") ? page : posix.dirname(page), decode(path)) +
            (/.\/$/.test(path) ? "/" : "")
      const found = anchors.get(target) ?? anchors.get(target.replace(/\/$/, ""))
      if (found === undefined ? !assets.has(target) : anchor !== "" && !found.has(decode(anchor)))
        broken.push(`${page}: ${href}`)
    }
  }
  return { broken, links, pages: files.length }
}
