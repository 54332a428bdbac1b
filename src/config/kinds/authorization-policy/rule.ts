import type { Condition, Operation, Source } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { error, errorUnless, type Finding, type Remark } from "../../finding.ts";
import { someText } from "../../rules/text.ts";
import { anyText, port, serviceAccount, subnet, trustDomain, type ValueRule, values, wildcard } from "./values.ts";

/** The fields of a source, each with the rule for its values. */
const sourceFields: readonly (readonly [Exclude<keyof Source, "$typeName" | "$unknown">, ValueRule])[] = [
  ["principals", anyText],
  ["notPrincipals", anyText],
  ["requestPrincipals", anyText],
  ["notRequestPrincipals", anyText],
  ["namespaces", anyText],
  ["notNamespaces", anyText],
  ["serviceAccounts", serviceAccount],
  ["notServiceAccounts", serviceAccount],
  ["trustDomains", trustDomain],
  ["notTrustDomains", trustDomain],
  ["ipBlocks", subnet],
  ["notIpBlocks", subnet],
  ["remoteIpBlocks", subnet],
  ["notRemoteIpBlocks", subnet],
];

/** Checks the source of a request. An empty source would match every client. */
export function source(value: Source | undefined, path: string): readonly Finding[] {
  if (value === undefined) return [error(path, { code: "missing-value", message: "a source is missing" })];
  return [
    ...errorUnless(
      sourceFields.some(([field]) => value[field].length > 0),
      path,
      { code: "empty-source", message: "a source must set at least one field" },
    ),
    ...sourceFields.flatMap(([field, rule]) => values(value[field], `${path}.${field}`, rule)),
    ...accounts(value, path),
  ];
}

const accountLimit = 16;

function accounts(value: Source, path: string): readonly Finding[] {
  const named = [...value.serviceAccounts, ...value.notServiceAccounts];
  const others = [value.principals, value.notPrincipals, value.namespaces, value.notNamespaces].flat();
  return [
    ...errorUnless(named.length === 0 || others.length === 0, path, {
      code: "conflicting-fields",
      message: "serviceAccounts cannot be combined with principals or namespaces: a service account names both",
    }),
    ...(["serviceAccounts", "notServiceAccounts"] as const).flatMap((field) =>
      errorUnless(value[field].length <= accountLimit, `${path}.${field}`, {
        code: "too-many-values",
        message: `at most ${accountLimit} service accounts may be listed`,
      }),
    ),
  ];
}

const operationFields: readonly (readonly [Exclude<keyof Operation, "$typeName" | "$unknown">, ValueRule])[] = [
  ["hosts", anyText],
  ["notHosts", anyText],
  ["ports", port],
  ["notPorts", port],
  ["methods", anyText],
  ["notMethods", anyText],
  ["paths", pathTemplate],
  ["notPaths", pathTemplate],
];

/** Checks the operation of a request. */
export function operation(value: Operation | undefined, path: string): readonly Finding[] {
  if (value === undefined) return [error(path, { code: "missing-value", message: "an operation is missing" })];
  return [
    ...errorUnless(
      operationFields.some(([field]) => value[field].length > 0),
      path,
      { code: "empty-operation", message: "an operation must set at least one field" },
    ),
    ...operationFields.flatMap(([field, rule]) => values(value[field], `${path}.${field}`, rule)),
  ];
}

/**
 * Characters that Envoy accepts in a segment beside `{*}` (one segment) and `{**}` (any number, and only as the last
 * operator).
 */
const literal = /^[\w\-.~%!$&'()+,;:@=]+$/u;

function isOperator(segment: string): boolean {
  return segment === "{*}" || segment === "{**}";
}

function pathTemplate(path: string): Remark | undefined {
  if (!/[{}]/u.test(path)) return undefined;
  const segments = path.replaceAll(/^\/+|\/+$/gu, "").split("/");
  const stray = segments.find((segment) => !isOperator(segment) && !literal.test(segment));
  const code = "bad-path";
  if (stray !== undefined) return { code, message: `"${stray}" cannot be a segment of a path template` };
  const last = segments.findLastIndex(isOperator);
  const isLast = segments.every((segment, index) => segment !== "{**}" || index === last);
  return isLast ? undefined : { code, message: "{**} must be the last operator of a path template" };
}

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
