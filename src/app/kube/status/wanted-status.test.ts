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

describe("what the status of an object should say", () => {
  test("is all that was found about it, the worst first", () => {
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

  test("is why it cannot be read, and not what was wrong with it before", () => {
    expect(wanted(message(referencedResourceNotFound, { version: "v1" }), message(schemaValidationError))).toEqual([
      ["Gateway shop/a", ["SchemaValidationError"], undefined],
    ]);
  });

  test("is nothing for kinds that are not ours to write to, and for nobody in particular", () => {
    const nobody: Message = { ...message(messages.internalError), subject: undefined };
    expect(wanted(message(referencedResourceNotFound, { kind: "Service" }), nobody)).toEqual([]);
  });

  test("leaves out what its annotations suppress", () => {
    const annotations = { "galley.istio.io/analyze-suppress": "IST0101" };
    expect(wanted(message(referencedResourceNotFound, { annotations, version: "v1" }))).toEqual([]);
  });
});
