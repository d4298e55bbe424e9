export * from "@effect-speech/common/EventDelivery"
