export * from "./Accounts.js"
export * from "./LocalService.js"
export * as Recogniser from "./Recogniser.js"
export * as Voice from "./Voice.js"
