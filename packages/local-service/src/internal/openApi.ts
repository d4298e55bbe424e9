import type { PlatformOptions } from "./platformApp.js"

export const openApi = (_: PlatformOptions): unknown => ({ openapi: "3.1.0" })
