import { type DescMessage, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import { errorFrom } from "../lib/errors.ts";
import type { Finding } from "./kind.ts";
import { MessageReader } from "./proto-json/message-reader.ts";

/** What became of raw values: a message, unless there is an error among the findings. */
export interface Decoded<Message> {
  readonly message: Message | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Everything in which a raw value differs from what its schema allows, each with its path: not only the first, since
 * the author wants to fix all of them at once. Fields may be written in either spelling (`exportTo`, `export_to`),
 * and null means absent.
 */
export function checkAgainst(schema: DescMessage, raw: unknown, path: string): readonly Finding[] {
  const reader = new MessageReader();
  reader.read(schema, raw, path);
  return reader.findings;
}

/** Reads a raw value into a message. Never throws. */
export function decode<Schema extends DescMessage>(
  schema: Schema,
  raw: unknown,
  path: string,
): Decoded<MessageShape<Schema>> {
  const reader = new MessageReader();
  const json = reader.read(schema, raw, path);
  const findings = reader.findings;
  if (json === undefined || findings.some(({ severity }) => severity === "error"))
    return { message: undefined, findings };
  return decodeChecked(schema, json, path, findings);
}

function decodeChecked<Schema extends DescMessage>(
  schema: Schema,
  json: JsonValue,
  path: string,
  findings: readonly Finding[],
): Decoded<MessageShape<Schema>> {
  try {
    return { message: fromJson(schema, json), findings };
  } catch (cause) {
    const message = `cannot be read as ${schema.name}: ${errorFrom(cause).message}`;
    return { message: undefined, findings: [...findings, { severity: "error", code: "bad-value", path, message }] };
  }
}
