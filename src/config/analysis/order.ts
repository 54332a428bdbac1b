import { compareTexts } from "../../lib/compare.ts";
import { levels, type Message, messageLocation, subjectText } from "./message.ts";

/**
 * Sorts by urgency, then code, then messages without an object first, then object and text. Equal messages about one
 * object appear once, with the first place. Messages without an object are told apart by place.
 */
export function inOrder(messages: readonly Message[]): readonly Message[] {
  const distinct = new Map<string, Message>();
  for (const message of messages.toSorted(compareMessages)) {
    const origin = subjectText(message);
    const identity = JSON.stringify([message.type.code, origin || messageLocation(message), message.text]);
    if (!distinct.has(identity)) distinct.set(identity, message);
  }
  return [...distinct.values()];
}

function compareMessages(a: Message, b: Message): number {
  return (
    levels.indexOf(a.type.level) - levels.indexOf(b.type.level) ||
    compareTexts(a.type.code, b.type.code) ||
    compareTexts(subjectText(a), subjectText(b)) ||
    compareTexts(a.text, b.text) ||
    compareTexts(a.path, b.path)
  );
}
