import {
  AuthorizationPolicy_Action as Action,
  type AuthorizationPolicy,
  AuthorizationPolicySchema,
  type Rule,
} from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { isMapping } from "../../lib/is-mapping.ts";
import { ownValue } from "../../lib/own-value.ts";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding, warning } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { attachment } from "../rules/attachment.ts";
import { emptyLists } from "../rules/empty.ts";
import { dryRun } from "../rules/forbidden-annotations.ts";
import { security, securityCollection } from "./api-groups.ts";
import { condition, operation, source } from "./authorization-policy/rule.ts";
import { denyAll } from "./authorization-policy/substitute.ts";

export const authorizationPolicy: Kind<typeof AuthorizationPolicySchema> = {
  ...security,
  kind: "AuthorizationPolicy",
  plural: "authorizationpolicies",
  collection: securityCollection("authorizationpolicies"),
  schema: AuthorizationPolicySchema,
  validate: ({ spec, annotations }, raw) => [
    ...attachment(spec),
    ...action(spec),
    ...trial(spec, ownValue(annotations, dryRun)),
    ...spec.rules.flatMap((value, index) => rule(value, fieldPath("spec.rules", index))),
    ...(spec.action === Action.DENY ? spec.rules.flatMap(deniesAllTcp) : []),
    ...emptySides(raw),
  ],
  substitute: denyAll,
};

function action(spec: AuthorizationPolicy): readonly Finding[] {
  const needsRules = spec.action === Action.DENY || spec.action === Action.CUSTOM;
  const isCustom = spec.action === Action.CUSTOM;
  const provider = spec.actionDetail.value;
  return [
    ...errorUnless(!needsRules || spec.rules.length > 0, "spec.rules", {
      code: "missing-rule",
      message: "a policy without rules never applies",
      hint: "write one empty rule, {}, to match every request",
    }),
    ...errorUnless(!isCustom || (provider !== undefined && provider.name !== ""), "spec.provider.name", {
      code: "missing-value",
      message: "the action CUSTOM needs the name of a provider",
    }),
    ...errorUnless(isCustom || provider === undefined, "spec.provider", {
      code: "conflicting-fields",
      message: "only the action CUSTOM can have a provider",
    }),
    ...(isCustom ? spec.rules.flatMap((value, index) => customRule(value, fieldPath("spec.rules", index))) : []),
  ];
}

function trial({ action: tried }: AuthorizationPolicy, value: string | undefined): readonly Finding[] {
  const path = fieldPath("metadata.annotations", dryRun);
  if (value === undefined) return [];
  return [
    ...errorUnless(tried === Action.ALLOW || tried === Action.DENY, path, {
      code: "bad-annotation",
      message: "only the actions ALLOW and DENY support a dry run",
    }),
    ...errorUnless(/^(?:1|t|true|0|f|false)$/iu.test(value), path, {
      code: "bad-annotation",
      message: `"${value}" is neither true nor false`,
    }),
  ];
}

function rule({ from, to, when }: Rule, path: string): readonly Finding[] {
  return [
    ...from.flatMap((value, index) => source(value.source, fieldPath(path, "from", index, "source"))),
    ...to.flatMap((value, index) => operation(value.operation, fieldPath(path, "to", index, "operation"))),
    ...when.flatMap((value, index) => condition(value, fieldPath(path, "when", index))),
  ];
}

const clientFields = [
  "principals",
  "notPrincipals",
  "namespaces",
  "notNamespaces",
  "serviceAccounts",
  "notServiceAccounts",
  "ipBlocks",
  "notIpBlocks",
  "remoteIpBlocks",
  "notRemoteIpBlocks",
] as const;

/**
 * In a DENY rule, attributes that a TCP connection does not have count as matching. So the rule denies too much rather
 * than too little.
 */
function deniesAllTcp({ from, to }: Rule, index: number): readonly Finding[] {
  const asksClient = from.some(({ source: of }) => clientFields.some((field) => (of?.[field].length ?? 0) > 0));
  const asksPort = to.some(({ operation: of }) => (of?.ports.length ?? 0) + (of?.notPorts.length ?? 0) > 0);
  const isHttpOnly = (from.length > 0 && to.length === 0 && !asksClient) || (to.length > 0 && !asksPort);
  if (!isHttpOnly) return [];
  const message = "this rule matches HTTP fields only, so it denies every connection on plain TCP ports";
  return [
    warning(fieldPath("spec.rules", index), {
      code: "denies-tcp",
      message,
      hint: "list its ports in to.operation.ports",
    }),
  ];
}

/** `from: []` would allow every client, which the author hardly intends. */
function emptySides(raw: unknown): readonly Finding[] {
  const rules = isMapping(raw) ? raw["rules"] : undefined;
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((value, index) => emptyLists(value, fieldPath("spec.rules", index), ["from", "to"]));
}

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

function customRule({ from, when }: Rule, path: string): readonly Finding[] {
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
  return error(path, {
    code: "unsupported-field",
    message: "a rule of the action CUSTOM cannot match the identity of the client",
  });
}
