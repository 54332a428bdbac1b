import { type DescMessage, fromJson, type MessageShape, toJson } from "@bufbuild/protobuf";
import { errorFrom } from "../../lib/errors.ts";
import { type Finding, hasErrors } from "../finding.ts";
import { MessageReader, type UnknownFields } from "./message-reader.ts";

/** What became of a raw value: a message, unless there is an error among the findings. */
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

interface DecodeOptions<Message> {
  readonly path: string;
  /** Where fields are taken from that the value leaves unset. */
  readonly defaults?: Message | undefined;
  /** How bad a field is that the schema does not have: an error unless said otherwise. It is never read. */
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
    // Laid over as JSON, where `0` and "not set" still differ.
    const laidOver = defaults === undefined ? json : Object.assign(toJson(schema, defaults) as object, json);
    return { message: fromJson(schema, laidOver), findings };
  } catch (cause) {
    const message = `cannot be read as ${schema.name}: ${errorFrom(cause).message}`;
    return { message: undefined, findings: [...findings, { severity: "error", code: "bad-value", path, message }] };
  }
}
