import { type DescMessage, fromJson, type MessageShape, toJson } from "@bufbuild/protobuf";
import { errorFrom } from "../../lib/errors.ts";
import { type Finding, hasErrors } from "../finding.ts";
import { MessageReader, type UnknownFields } from "./message-reader.ts";

/** The result for a raw value: a message, unless the findings include an error. */
export interface Decoded<Message> {
  readonly message: Message | undefined;
  readonly findings: readonly Finding[];
}

/**
 * All differences between a raw value and its schema, each with its path. It does not stop at the first one, because
 * the author wants to fix all at once. Fields may have either spelling (`exportTo`, `export_to`), and null means
 * absent.
 */
export function checkAgainst(schema: DescMessage, raw: unknown, path: string): readonly Finding[] {
  const reader = new MessageReader();
  reader.read(schema, raw, path);
  return reader.findings;
}

interface DecodeOptions<Message> {
  readonly path: string;
  /** The values of unset fields. */
  readonly defaults?: Message | undefined;
  /** Severity of unknown fields. The default is error. Unknown fields are never read. */
  readonly unknownFields?: UnknownFields | undefined;
}

/** Reads a raw value into a message. Never throws. */
export function decode<Schema extends DescMessage>(
  schema: Schema,
  raw: unknown,
  { path, defaults, unknownFields }: DecodeOptions<MessageShape<Schema>>,
): Decoded<MessageShape<Schema>> {
  const reader = new MessageReader(unknownFields);
  const json = reader.read(schema, raw, path);
  const findings = reader.findings;
  if (json === undefined || hasErrors(findings)) return { message: undefined, findings };
  try {
    // Merged as JSON, where `0` and "not set" still differ.
    const laidOver = defaults === undefined ? json : Object.assign(toJson(schema, defaults) as object, json);
    return { message: fromJson(schema, laidOver), findings };
  } catch (cause) {
    const message = `cannot be read as ${schema.name}: ${errorFrom(cause).message}`;
    return { message: undefined, findings: [...findings, { severity: "error", code: "bad-value", path, message }] };
  }
}
