import type { Operation } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { error, errorUnless, type Finding, type Remark } from "../../finding.ts";
import { anyText, port, type ValueRule, values } from "./values.ts";

const fields: readonly (readonly [Exclude<keyof Operation, "$typeName" | "$unknown">, ValueRule])[] = [
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
      fields.some(([field]) => value[field].length > 0),
      path,
      { code: "empty-operation", message: "an operation must say something of the request" },
    ),
    ...fields.flatMap(([field, rule]) => values(value[field], `${path}.${field}`, rule)),
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
