import type { DescMessage } from "@bufbuild/protobuf";
import { envoyTypes } from "../../src/admin/resource/envoy-types.ts";
import { constrainedName, constraintsOn, isRequired } from "../../src/testing/envoy/constraint-check.ts";
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

An Envoy rejects a resource that breaks a \`validate\` rule of Envoy's protos, and every other resource of that answer with
it. This is the list of all constrained fields that Binnacle fills, made from the protos, with the rule or the generator
that keeps each constraint. Names are without \`envoy.\` before them. A test holds resources generated from mutated objects
to the rules, and fails when a constrained field is filled that is not listed here. Envoy's code demands more than its
protos say: see *Validation and Envoy* in [CONTRIBUTING](../../CONTRIBUTING.md).

${markdownTable(["field", "constraint", "how it is kept", "where"], rows)}`;
}
