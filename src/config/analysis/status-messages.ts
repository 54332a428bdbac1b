import { isMapping } from "../../lib/is-mapping.ts";
import { documentationUrl, type Level, type Message } from "./message.ts";

/** A message in `status.validationMessages` of its object, as today's definitions of Istio's kinds have it. */
export interface StatusMessage {
  readonly type: { readonly code: string; readonly name: string };
  readonly level: Uppercase<Level>;
  readonly documentationUrl: string;
  /**
   * Today's definitions lack this field, and their API servers drop it. Older definitions, and those without a schema,
   * keep it.
   */
  readonly message: string;
}

/**
 * Largest number of messages per object, because objects must not grow without bound. The author can fix some first.
 */
const mostShown = 50;

/** The most urgent messages about one object. The input is sorted already. */
export function statusMessages(messages: readonly Message[]): readonly StatusMessage[] {
  return messages.slice(0, mostShown).map(({ type, text }) => ({
    type: { code: type.code, name: type.name },
    level: type.level.toUpperCase() as Uppercase<Level>,
    documentationUrl: `${documentationUrl(type)}?ref=status-controller`,
    message: text,
  }));
}

/**
 * Whether the stored status is the written one, as far as the API server kept it. A definition may drop unknown fields,
 * so the stored status may have fewer fields.
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
