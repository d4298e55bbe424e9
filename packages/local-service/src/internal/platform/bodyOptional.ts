import * as Context from "effect/Context"

/** Annotates an endpoint whose request may have no body, which then counts as `{}`. Default: false. */
export class BodyOptional extends Context.Reference<BodyOptional>()(
  "@effect-speech/local-service/internal/BodyOptional",
  { defaultValue: () => false }
) {}
