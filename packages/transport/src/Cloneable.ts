export * from "@effect-speech/common/Cloneable"
