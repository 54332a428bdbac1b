import { pino } from "pino";
import { cutText } from "../../lib/cut-text.ts";

/** Node ids, reasons, names, type URLs: clients may send megabytes of each. */
const textLength = 256;
/** Of errors, which are mostly our own: the longer their text, the easier they are found. */
const messageLength = 1_024;
const stackLength = 8 * 1_024;
/** Of a list, or of an object. */
const mostEntries = 100;
const deepest = 6;

/**
 * The fields of a log line, with texts cut and lists shortened. Every line passes here, so that no call has to remember
 * that its text may come from a client.
 */
export function boundedFields(fields: object): Record<string, unknown> {
  return boundedObject(fields, 0);
}

function bounded(value: unknown, depth: number, length = textLength): unknown {
  if (typeof value === "string") return cutText(value, length);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return boundedError(value, depth);
  if (depth >= deepest) return "…";
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (Array.isArray(value)) return boundedList(value, depth);
  if ("toJSON" in value && typeof value.toJSON === "function") return bounded(value.toJSON(), depth + 1);
  return boundedObject(value, depth);
}

function boundedList(list: readonly unknown[], depth: number): readonly unknown[] {
  const shown = list.slice(0, mostEntries).map((each) => bounded(each, depth + 1));
  return list.length <= mostEntries ? shown : [...shown, `… and ${list.length - mostEntries} more`];
}

function boundedObject(fields: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields);
  const shown = entries
    .slice(0, mostEntries)
    .map(([key, value]) => [cutText(key, textLength), bounded(value, depth + 1)]);
  const more = entries.length - mostEntries;
  return Object.fromEntries(more > 0 ? [...shown, ["…", `and ${more} more`]] : shown);
}

/** As pino writes errors, with its causes in message and stack. */
function boundedError(error: Error, depth: number): Record<string, unknown> {
  const { message, stack, ...rest } = pino.stdSerializers.err(error);
  return {
    ...boundedObject(rest, depth),
    message: cutText(message, messageLength),
    stack: cutText(stack, stackLength),
  };
}
