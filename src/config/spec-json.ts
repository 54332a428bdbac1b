import { type DescMessage, isMessage, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import type { Config } from "./config.ts";

/** Whether the spec is the message of its kind. Services of registries are converted, and have a plain spec. */
export function hasMessage(config: Config, schema: DescMessage): config is Config<Message> {
  return isMessage(config.spec, schema);
}

/** The JSON of a spec: of its message, or of the plain spec as it is. */
export function specJson(config: Config, schema: DescMessage | undefined): JsonValue {
  if (schema !== undefined && hasMessage(config, schema)) return toJson(schema, config.spec);
  return JSON.parse(JSON.stringify(config.spec)) as JsonValue;
}
