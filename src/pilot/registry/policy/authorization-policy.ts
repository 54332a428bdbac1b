import {
  AuthorizationPolicy_Action as Action,
  type Condition,
  type AuthorizationPolicy as IstioAuthorizationPolicy,
  type Operation,
  type Rule,
  type Source,
} from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Config } from "../../../config/config.ts";
import { isConverted } from "../../../config/converted.ts";
import { isTrial } from "../../../config/rules/forbidden-annotations.ts";
import type {
  Attribute,
  AttributeMatch,
  AuthorizationAction,
  AuthorizationPolicy,
  AuthorizationRule,
} from "../../model/policy/authorization-policy.ts";
import { workloadPolicyOf } from "./workload-policy.ts";

const actions: Readonly<Record<Action, AuthorizationAction>> = {
  [Action.ALLOW]: "allow",
  [Action.DENY]: "deny",
  [Action.AUDIT]: "audit",
  [Action.CUSTOM]: "custom",
};

export function authorizationPolicyOf(config: Config<IstioAuthorizationPolicy>): AuthorizationPolicy {
  const { spec, annotations } = config;
  return {
    ...workloadPolicyOf(config),
    action: actions[spec.action],
    dryRun: isTrial(annotations),
    converted: isConverted(config),
    provider: spec.actionDetail.value?.name,
    rules: spec.rules.map(ruleOf),
  };
}

function ruleOf({ from, to, when }: Rule): AuthorizationRule {
  return {
    sources: from.map(({ source }) => matchesOf(source, sourceFields)),
    operations: to.map(({ operation }) => matchesOf(operation, operationFields)),
    conditions: when.flatMap(conditionOf),
  };
}

type Lists<T> = { readonly [Name in keyof T as T[Name] extends string[] ? Name : never]: readonly string[] };
type FieldRow<T> = readonly [values: keyof Lists<T>, notValues: keyof Lists<T>, attribute: Attribute];

/** In the order in which proxies match them. */
const sourceFields: readonly FieldRow<Source>[] = [
  ["principals", "notPrincipals", "source.principal"],
  ["requestPrincipals", "notRequestPrincipals", "request.auth.principal"],
  ["serviceAccounts", "notServiceAccounts", "source.serviceAccount"],
  ["trustDomains", "notTrustDomains", "source.trustDomain"],
  ["namespaces", "notNamespaces", "source.namespace"],
  ["remoteIpBlocks", "notRemoteIpBlocks", "remote.ip"],
  ["ipBlocks", "notIpBlocks", "source.ip"],
];

const operationFields: readonly FieldRow<Operation>[] = [
  ["hosts", "notHosts", "request.host"],
  ["methods", "notMethods", "request.method"],
  ["paths", "notPaths", "request.path"],
  ["ports", "notPorts", "destination.port"],
];

function matchesOf<T extends Lists<T>>(fields: T | undefined, rows: readonly FieldRow<T>[]): readonly AttributeMatch[] {
  if (fields === undefined) return [];
  return rows
    .map(([values, notValues, attribute]) => ({
      attribute,
      key: [],
      values: fields[values] as readonly string[],
      notValues: fields[notValues] as readonly string[],
    }))
    .filter(({ values, notValues }) => values.length + notValues.length > 0);
}

/** Condition keys without a name in brackets. */
const plainKeys: ReadonlySet<string> = new Set<Attribute>([
  "source.ip",
  "remote.ip",
  "source.namespace",
  "source.principal",
  "source.serviceAccount",
  "source.trustDomain",
  "request.auth.principal",
  "request.auth.audiences",
  "request.auth.presenter",
  "destination.ip",
  "destination.port",
  "connection.sni",
]);

function conditionOf({ key, values, notValues }: Condition): readonly AttributeMatch[] {
  if (plainKeys.has(key)) return [{ attribute: key as Attribute, key: [], values, notValues }];
  const bracket = key.indexOf("[");
  const name = key.slice(0, bracket);
  const inside = key.slice(bracket);
  if (name === "request.headers") return [{ attribute: name, key: [inside.slice(1, -1)], values, notValues }];
  if (name === "request.auth.claims") return [{ attribute: name, key: claimPathOf(inside), values, notValues }];
  const filter = name.slice("experimental.".length);
  return [{ attribute: "envoy.filters", key: [filter, inside.slice(1, -1)], values, notValues }];
}

/** `[a][b]` is the claim b inside the claim a. Other texts with brackets are the name of one claim. */
function claimPathOf(inside: string): readonly string[] {
  const isNested = /^(?:\[[^[\]]*\])+$/u.test(inside);
  return isNested ? inside.slice(1, -1).split("][") : [inside.slice(1, -1)];
}
