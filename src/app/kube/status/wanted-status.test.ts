import { describe, expect, test } from "vitest";
import type { Message } from "../../../config/analysis/message.ts";
import { messages } from "../../../config/analysis/messages.ts";
import { gateway } from "../../../config/kinds/gateway.ts";
import { virtualService } from "../../../config/kinds/virtual-service.ts";
import { wantedStatus } from "./wanted-status.ts";

const { referencedResourceNotFound, schemaValidationError, schemaWarning } = messages;

interface About {
  readonly kind?: string;
  readonly name?: string;
  readonly version?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

function message(type: Message["type"], { kind = "Gateway", name = "a", annotations = {}, ...more }: About = {}) {
  const subject = { kind, namespace: "shop", name, annotations, locate: () => undefined, ...more };
  return { type, text: type.name, subject, path: "" } satisfies Message;
}

function wanted(...all: readonly Message[]) {
  const found = wantedStatus(all, [gateway, virtualService]);
  return [...found].map(([key, each]) => [key, each.messages.map(({ type }) => type.name), each.version]);
}

describe("the wanted status of an object", () => {
  test("has all messages about the object, the worst first", () => {
    expect(
      wanted(
        message(schemaWarning),
        message(referencedResourceNotFound, { version: "v1" }),
        message(referencedResourceNotFound, { name: "b", version: "v2" }),
        message(referencedResourceNotFound, { kind: "VirtualService", version: "v3" }),
      ),
    ).toEqual([
      ["Gateway shop/a", ["ReferencedResourceNotFound", "SchemaWarning"], "v1"],
      ["Gateway shop/b", ["ReferencedResourceNotFound"], "v2"],
      ["VirtualService shop/a", ["ReferencedResourceNotFound"], "v3"],
    ]);
  });

  test("has only the validation error of an unreadable object, not its older messages", () => {
    expect(wanted(message(referencedResourceNotFound, { version: "v1" }), message(schemaValidationError))).toEqual([
      ["Gateway shop/a", ["SchemaValidationError"], undefined],
    ]);
  });

  test("is absent for kinds without our status, and for messages without an object", () => {
    const nobody: Message = { ...message(messages.internalError), subject: undefined };
    expect(wanted(message(referencedResourceNotFound, { kind: "Service" }), nobody)).toEqual([]);
  });

  test("leaves out suppressed messages", () => {
    const annotations = { "galley.istio.io/analyze-suppress": "IST0101" };
    expect(wanted(message(referencedResourceNotFound, { annotations, version: "v1" }))).toEqual([]);
  });
});
