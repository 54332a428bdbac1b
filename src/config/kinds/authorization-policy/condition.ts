import type { Condition } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { error, errorUnless, type Finding } from "../../finding.ts";
import { someText } from "../../rules/text.ts";
import { anyText, port, serviceAccount, subnet, type ValueRule, values, wildcard } from "./values.ts";

const attributes: ReadonlyMap<string, ValueRule> = new Map<string, ValueRule>([
  ["source.ip", subnet],
  ["remote.ip", subnet],
  ["source.namespace", anyText],
  ["source.principal", anyText],
  ["source.serviceAccount", serviceAccount],
  ["source.trustDomain", wildcard],
  ["request.auth.principal", anyText],
  ["request.auth.audiences", anyText],
  ["request.auth.presenter", anyText],
  ["destination.ip", subnet],
  ["destination.port", port],
  ["connection.sni", anyText],
]);

/** Attributes with a key in brackets. */
const keyed = /^(?:request\.headers|request\.auth\.claims|experimental\.envoy\.filters\.[^[]*)\[.+\]$/u;

/** Attributes of older rules, and their replacements. */
const replaced: ReadonlyMap<string, string> = new Map([
  ["destination.namespace", "metadata.namespace says it"],
  ["destination.labels", "spec.selector says it"],
  ["destination.name", "spec.selector says it"],
  ["destination.user", "spec.selector says it"],
]);

/** An additional condition on an attribute of the request. */
export function condition({ key, values: wanted, notValues }: Condition, path: string): readonly Finding[] {
  const missing = someText(key, `${path}.key`, "the key of a condition");
  if (missing.length > 0) return missing;
  const rule = attributes.get(key) ?? (keyed.test(key) ? anyText : undefined);
  if (rule === undefined) return [unknownAttribute(key, `${path}.key`)];
  return [
    ...errorUnless(wanted.length + notValues.length > 0, path, {
      code: "empty-condition",
      message: "a condition needs values or notValues",
    }),
    ...values(wanted, `${path}.values`, rule),
    ...values(notValues, `${path}.notValues`, rule),
  ];
}

function unknownAttribute(key: string, path: string): Finding {
  const instead = replaced.get(key.replace(/\[.*$/u, ""));
  const hint = instead ?? `known are ${[...attributes.keys()].join(", ")}, request.headers[…], request.auth.claims[…]`;
  return error(path, { code: "unknown-attribute", message: `"${key}" is not an attribute of a request`, hint });
}
