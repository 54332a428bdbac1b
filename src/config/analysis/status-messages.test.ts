import { describe, expect, test } from "vitest";
import type { Message } from "./message.ts";
import { messages } from "./messages.ts";
import { isStoredForm, statusMessages } from "./status-messages.ts";

const missing: Message = {
  type: messages.referencedResourceNotFound,
  text: 'there is no host "reviews"',
  subject: undefined,
  path: "",
};

describe("a message in the status of its object", () => {
  const written = statusMessages([missing]);

  test("has code, name, level, text and a documentation link", () => {
    expect(written).toEqual([
      {
        type: { code: "IST0101", name: "ReferencedResourceNotFound" },
        level: "ERROR",
        documentationUrl: "https://istio.io/latest/docs/reference/config/analysis/ist0101/?ref=status-controller",
        message: 'there is no host "reviews"',
      },
    ]);
  });

  test("is one of fifty at most", () => {
    expect(statusMessages(Array.from({ length: 60 }, () => missing))).toHaveLength(50);
  });

  test.each([
    ["as it was written", written, true],
    ["without what the definition does not know", written.map(({ message: _message, ...kept }) => kept), true],
    ["in another order of fields", written.map(({ type, ...rest }) => ({ ...rest, type })), true],
    ["of another level", written.map((each) => ({ ...each, level: "INFO" })), false],
    ["of another code", written.map((each) => ({ ...each, type: { ...each.type, code: "IST0102" } })), false],
    ["with another text", written.map((each) => ({ ...each, message: "?" })), false],
    ["with something more", written.map((each) => ({ ...each, line: 1 })), false],
    ["twice", [...written, ...written], false],
    ["not at all", undefined, false],
    ["as an empty list", [], false],
    ["as nothing that says what it is", [{}], false],
    ["as a text", "IST0101", false],
  ])("that is stored %s", (_, stored, isSame) => {
    expect(isStoredForm(stored, written)).toBe(isSame);
  });

  test("is absent if there are no messages", () => {
    expect([isStoredForm(undefined, []), isStoredForm([], []), isStoredForm(written, [])]).toEqual([true, true, false]);
  });
});
