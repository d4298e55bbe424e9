// @ts-nocheck The peer is not installed where types are checked.
import { parse } from "@plussub/srt-vtt-parser"

/** The cues of an SRT or WebVTT file. @type {(text: string) => ReadonlyArray<{ from: number, to: number, text: string }>} */
export const parseSubtitles = (text) => parse(text).entries
