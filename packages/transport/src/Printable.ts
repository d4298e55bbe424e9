export * from "@effect-speech/common/Printable"
