import { compareTexts } from "../../lib/compare.ts";
import { levels, type Message, originOf, placeOf } from "./message.ts";

/**
 * Most urgent first, then by code, what is about no object first, then by object and text. What says the same of the
 * same object is said once: the first place is as good as the others. Where there is no object, the place is all we know.
 */
export function inOrder(messages: readonly Message[]): readonly Message[] {
  const distinct = new Map<string, Message>();
  for (const message of messages.toSorted(compareMessages)) {
    const origin = originOf(message);
    const identity = JSON.stringify([message.type.code, origin || placeOf(message), message.text]);
    if (!distinct.has(identity)) distinct.set(identity, message);
  }
  return [...distinct.values()];
}

function compareMessages(a: Message, b: Message): number {
  return (
    levels.indexOf(a.type.level) - levels.indexOf(b.type.level) ||
    compareTexts(a.type.code, b.type.code) ||
    compareTexts(originOf(a), originOf(b)) ||
    compareTexts(a.text, b.text) ||
    compareTexts(a.path, b.path)
  );
}
