import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { slug } from "github-slugger"
import { defineConfig } from "vitepress"
import { staged } from "../site/links.js"

/** The guides in the order in which a reader meets their topics. Those that are not listed come last. */
const order = [
  ["Start", "first-hour installing without-effect promise-options questions moving-from-an-sdk licences"],
  [
    "Calls",
    "synthesize transcribe recordings configure-clients errors-and-retries retries billing deadlines-and-interruption observe-calls call-reports http-clients own-operation"
  ],
  ["Long texts and recordings", "long-texts split-a-text long-recordings kept-pieces subtitles word-errors"],
  ["Archives", "archives archive-programs archive-states archives-on-many-machines"],
  ["Audio", "audio-files telephony edit-audio decode-recordings"],
  ["Tests", "testing record-and-replay faults"],
  ["The local service", "local-service console recognition service-platform journal local-service-contract"],
  ["Your own models", "engines engine-sherpa folder-of-models"],
  ["Production", "servers-and-browsers security input-limits bundling"]
]

/** @param {string} page */
const titleOf = (page) =>
  /^# (.+?)(?: \{#.*\})?$/m.exec(readFileSync(join(staged, page), "utf8"))?.[1]?.replaceAll("`", "") ?? page

/** @param {string} page */
const item = (page) => ({ text: titleOf(page), link: `/${page.replace(/\.md$/, "").replace(/(^|\/)index$/, "$1")}` })

/** The pages of a folder, without its index. @param {string} folder */
const pagesIn = (folder) =>
  existsSync(join(staged, folder))
    ? readdirSync(join(staged, folder))
        .filter((file) => file.endsWith(".md") && file !== "index.md")
        .map((file) => `${folder}/${file}`)
    : []

const guides = () => {
  const known = order.map(([text = "", names = ""]) => ({
    text,
    pages: names
      .split(" ")
      .map((name) => `guides/${name}.md`)
      .filter((page) => existsSync(join(staged, page)))
  }))
  const listed = known.flatMap(({ pages }) => pages)
  const others = pagesIn("guides").filter((page) => !listed.includes(page))
  const groups = others.length === 0 ? known : [...known, { text: "More", pages: others }]
  return groups.filter(({ pages }) => pages.length > 0).map(({ pages, text }) => ({ text, items: pages.map(item) }))
}

/** A folder with its index first. @param {string} text @param {string} folder */
const folderOf = (text, folder) => {
  const index = `${folder}/index.md`
  return { text, items: [...(existsSync(join(staged, index)) ? [item(index)] : []), ...pagesIn(folder).map(item)] }
}

const commands = () => {
  const first = ["index", "synthesize", "transcribe", "listen-back", "archive", "archive-commands", "serve", "run"]
  const listed = first.map((name) => `command/${name}.md`).filter((page) => existsSync(join(staged, page)))
  return [...listed, ...pagesIn("command").filter((page) => !listed.includes(page))].map(item)
}

const packages = () => {
  const modules = Object.entries(JSON.parse(readFileSync(join(staged, "modules.json"), "utf8")))
  return modules.map(([name, all]) => ({
    text: name,
    link: `/packages/${name}`,
    collapsed: true,
    // What is below `unstable` is for other packages of this project.
    items: all
      .filter((/** @type {string} */ module) => !module.startsWith("unstable/"))
      .map((/** @type {string} */ module) => ({ text: module, link: `/reference/${name}/${module}` }))
  }))
}

const project = () => ({
  text: "The project",
  items: [
    ...["project/changelog.md", "project/architecture.md", "project/contributing.md", "project/checks/index.md"]
      .filter((page) => existsSync(join(staged, page)))
      .map(item)
  ]
})

const errors = () => [
  ...["troubleshooting.md", "contract.md"].filter((page) => existsSync(join(staged, page))).map(item)
]

export default defineConfig({
  title: "effect-speech",
  description: "Text to speech and speech to text over one HTTP speech service, for programs on Node, Bun and Deno.",
  srcDir: ".site",
  base: process.env.SITE_BASE ?? "/",
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    // The anchors are those that a forge gives, so that a link works in both places.
    anchor: { slugify: slug },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: (md) => {
      // Vue drops a line break between two elements: “In a hurry?Install”.
      md.renderer.rules.softbreak = () => " "
    }
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        detailedView: true,
        miniSearch: {
          searchOptions: {
            // A status is that number, and no other.
            fuzzy: (/** @type {string} */ term) => (/^\d+$/.test(term) ? false : 0.2),
            prefix: (/** @type {string} */ term) => !/^\d+$/.test(term),
            // Who searches for a tag or a status wants the page of the error; who searches for a word, a guide.
            boostDocument: (/** @type {string} */ id) =>
              /\/errors\/(\w+)#\1$/i.test(id) ? 3 : id.includes("/guides/") ? 1.5 : 1
          }
        }
      }
    },
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/guides/first-hour", activeMatch: "^/guides/" },
      { text: "Errors", link: "/errors/", activeMatch: "^/(errors|troubleshooting)" },
      { text: "Command", link: "/command/", activeMatch: "^/command/" },
      { text: "Reference", link: "/packages/promise", activeMatch: "^/(packages|reference)/" },
      { text: "Examples", link: "/examples/", activeMatch: "^/examples/" }
    ],
    sidebar: {
      "/guides/": guides(),
      "/errors/": [{ text: "Errors", items: errors() }, folderOf("By tag", "errors")],
      "/command/": [{ text: "The speech command", items: commands() }],
      "/packages/": [{ text: "Packages", items: packages() }],
      "/reference/": [{ text: "Packages", items: packages() }],
      "/examples/": [folderOf("Examples", "examples")],
      "/": [...guides(), { text: "Look up", items: errors() }, project()]
    },
    notFound: {
      title: "This page does not exist",
      quote: "Search for its words, or begin at the front page.",
      linkText: "Front page"
    },
    docFooter: { prev: false, next: false },
    socialLinks: []
  }
})
