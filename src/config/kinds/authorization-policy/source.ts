import type { Source } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { error, errorUnless, type Finding } from "../../finding.ts";
import { anyText, serviceAccount, subnet, trustDomain, type ValueRule, values } from "./values.ts";

/** The fields of a source, each with the rule for its values. */
const fields: readonly (readonly [Exclude<keyof Source, "$typeName" | "$unknown">, ValueRule])[] = [
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
      fields.some(([field]) => value[field].length > 0),
      path,
      { code: "empty-source", message: "a source must say something of the client" },
    ),
    ...fields.flatMap(([field, rule]) => values(value[field], `${path}.${field}`, rule)),
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
      message: "a source with service accounts has no principals and no namespaces: the accounts say both",
    }),
    ...(["serviceAccounts", "notServiceAccounts"] as const).flatMap((field) =>
      errorUnless(value[field].length <= accountLimit, `${path}.${field}`, {
        code: "too-many-values",
        message: `at most ${accountLimit} service accounts may be listed`,
      }),
    ),
  ];
}
