import { isMapping } from "../../lib/is-mapping.ts";
import { documentationUrl, type Level, type Message } from "./message.ts";

/** A message as it stands in `status.validationMessages` of its object, by today's definitions of Istio's kinds. */
export interface StatusMessage {
  readonly type: { readonly code: string; readonly name: string };
  readonly level: Uppercase<Level>;
  readonly documentationUrl: string;
  /** Today's definitions do not have it, and their API servers drop it; older ones, and those without a schema, keep it. */
  readonly message: string;
}

/** Whoever has more mistakes than this mends some first; objects must not grow without bound. */
const mostShown = 50;

/** The most urgent of the messages about one object, which are in their order. */
export function statusMessages(messages: readonly Message[]): readonly StatusMessage[] {
  return messages.slice(0, mostShown).map(({ type, text }) => ({
    type: { code: type.code, name: type.name },
    level: type.level.toUpperCase() as Uppercase<Level>,
    documentationUrl: `${documentationUrl(type)}?ref=status-controller`,
    message: text,
  }));
}

/**
 * Whether what is stored is what was written, as far as the API server kept it: a definition may drop fields that it
 * does not know, so what is stored may say less.
 */
export function isStoredForm(stored: unknown, written: readonly StatusMessage[]): boolean {
  if (stored === undefined) return written.length === 0;
  if (!Array.isArray(stored) || stored.length !== written.length) return false;
  return stored.every((each: unknown, index) => isMapping(each) && "type" in each && isPartOf(each, written[index]));
}

function isPartOf(part: unknown, whole: unknown): boolean {
  if (!isMapping(part) || !isMapping(whole)) return part === whole;
  return Object.entries(part).every(([key, value]) => Object.hasOwn(whole, key) && isPartOf(value, whole[key]));
}
