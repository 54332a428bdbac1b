import type { Rule } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, type Finding } from "../../finding.ts";

/**
 * Envoy decides about the call of a provider before it knows the client. CUSTOM rules therefore cannot match the
 * client's identity.
 */
const identity = [
  "principals",
  "notPrincipals",
  "requestPrincipals",
  "notRequestPrincipals",
  "namespaces",
  "notNamespaces",
  "serviceAccounts",
  "notServiceAccounts",
  "trustDomains",
  "notTrustDomains",
] as const;

const identityAttribute = /^(?:source\.(?:namespace|principal|serviceAccount|trustDomain)$|request\.auth\.)/u;

export function customRule({ from, when }: Rule, path: string): readonly Finding[] {
  return [
    ...from.flatMap(({ source }, index) =>
      identity
        .filter((field) => (source?.[field].length ?? 0) > 0)
        .map((field) => unsupported(fieldPath(path, "from", index, "source", field))),
    ),
    ...when.flatMap(({ key }, index) =>
      identityAttribute.test(key) ? unsupported(fieldPath(path, "when", index, "key")) : [],
    ),
  ];
}

function unsupported(path: string): Finding {
  return error(path, { code: "unsupported-field", message: "a rule of CUSTOM cannot ask who the client is" });
}
