import type { DescMessage } from "@bufbuild/protobuf";
import { envoyTypes } from "../../src/admin/resource/envoy-types.ts";
import {
  constrainedName,
  constraintsOn,
  isRequired,
} from "../../src/pilot/networking/patch/check/field-constraints.ts";
import { keptConstraints } from "./kept-constraints.ts";
import { markdownTable } from "./table.ts";

/** Every field and oneof that the `validate` rules of Envoy's protos constrain in messages that we send, in words. */
export function constrainedFields(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<DescMessage>();
  const waiting = Array.from(envoyTypes).filter((type) => type.kind === "message");
  for (let desc = waiting.pop(); desc !== undefined; desc = waiting.pop()) {
    if (seen.has(desc)) continue;
    seen.add(desc);
    for (const oneof of desc.oneofs) if (isRequired(oneof)) found.set(constrainedName(oneof), "one of its fields");
    for (const field of desc.fields) {
      const constraints = constraintsOn(field);
      if (constraints !== undefined) found.set(constrainedName(field), textOf(constraints));
      if (field.message !== undefined) waiting.push(field.message);
    }
  }
  return found;
}

function textOf({ isRequired, onValue, onItems, onKeys }: NonNullable<ReturnType<typeof constraintsOn>>): string {
  return [
    ...(isRequired ? ["required"] : []),
    ...onValue.map(({ text }) => text),
    ...onItems.map(({ text }) => `each: ${text}`),
    ...onKeys.map(({ text }) => `each key: ${text}`),
  ].join("; ");
}

export function envoyConstraintsPage(): string {
  const demands = constrainedFields();
  const rows = Array.from(keptConstraints, ([name, { by, how }]) => {
    return [`\`${name.replace(/^envoy\./u, "")}\``, demands.get(name) ?? "", how, `\`${by}\``];
  });
  return `# Constraints of Envoy

Envoy rejects a resource that breaks a \`validate\` rule of its protos, and with it every other resource of the response.
This page lists all constrained fields that Binnacle fills. The list comes from the protos, and names the rule or the
generator that keeps each constraint. The prefix \`envoy.\` is left out. A test checks the rules with resources generated
from mutated objects. The test fails if Binnacle fills a constrained field that is missing here. Envoy's code requires more
than its protos: see *Validation and Envoy* in [CONTRIBUTING](../../CONTRIBUTING.md).

${markdownTable(["field", "constraint", "how it is kept", "where"], rows)}`;
}
