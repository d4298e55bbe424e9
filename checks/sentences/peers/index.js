// @ts-nocheck The peers have few types, and aren't installed where types are checked.

/** Each library in the way its own documents recommend, with the language if it takes one. */
import { segmentText } from "@echogarden/text-segmentation"
import sbd from "sbd"
import { segment } from "sentencex"

/** @type {Record<string, (text: string, lang: string) => ReadonlyArray<string> | Promise<ReadonlyArray<string>>>} */
export const splitters = {
  sentencex: (text, lang) => segment(lang, text),
  "text-segmentation": async (text, lang) =>
    (await segmentText(text, { language: lang })).sentences.map((sentence) => sentence.text),
  sbd: (text) => sbd.sentences(text, { preserve_whitespace: true })
}
