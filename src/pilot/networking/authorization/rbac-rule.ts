import type { PolicySchema } from "#gen/envoy/config/rbac/v3/rbac_pb.js";
import type { MessageLiteral, ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type {
  Attribute,
  AttributeMatch,
  AuthorizationAction,
  AuthorizationRule,
} from "../../model/policy/authorization-policy.ts";
import * as permission from "./permissions.ts";
import * as principal from "./principals.ts";
import { withAliases } from "./trust-domains.ts";

/** The traffic that the filter of a rule sees, and what is known about its clients. */
export interface RuleReader extends permission.PermissionReader {
  readonly carries: "http" | "tcp";
  /** The trust domain of the mesh and its aliases. */
  readonly trustDomains: readonly string[];
}

/** The policy of a rule. */
export interface RulePolicy {
  readonly namespace: string;
  readonly action: AuthorizationAction;
}

/** Attributes that only requests of HTTP have. */
const httpOnly: ReadonlySet<Attribute> = new Set<Attribute>([
  "request.host",
  "request.method",
  "request.path",
  "request.headers",
  "request.auth.principal",
  "request.auth.audiences",
  "request.auth.presenter",
  "request.auth.claims",
]);

/** Matches nothing, for a policy without rules. */
export const neverMatching: MessageLiteral<typeof PolicySchema> = {
  permissions: [permission.not(permission.anything)],
  principals: [principal.not(principal.anyone)],
};

/**
 * A rule as Envoy's policy. A connection has no attributes of HTTP. There an ALLOW rule with such attributes allows
 * nothing: the result is undefined. Rules of other actions match without these attributes, so they deny more, not less.
 */
export function rbacPolicyOf(
  rule: AuthorizationRule,
  { namespace, action }: RulePolicy,
  reader: RuleReader,
  writer: ProtoWriter,
): MessageLiteral<typeof PolicySchema> | undefined {
  const all = [...rule.sources.flat(), ...rule.operations.flat(), ...rule.conditions];
  const isLost = ({ attribute }: AttributeMatch) => reader.carries === "tcp" && httpOnly.has(attribute);
  if (action === "allow" && all.some(isLost)) return undefined;
  const kept = (matches: readonly AttributeMatch[]) =>
    [...matches, ...rule.conditions]
      .filter((match) => !isLost(match))
      .map((match) => withAliases(match, reader.trustDomains));
  const operations = rule.operations.length === 0 ? [[]] : rule.operations;
  const sources = rule.sources.length === 0 ? [[]] : rule.sources;
  return {
    permissions: operations.map((operation) => permissionOf(kept(operation), reader, writer)),
    principals: sources.map((source) => principalOf(kept(source), namespace)),
  };
}

function permissionOf(matches: readonly AttributeMatch[], reader: RuleReader, writer: ProtoWriter) {
  const rules = matches.flatMap(({ attribute, key, values, notValues }) => {
    const matcher = permission.permissionMatcher(attribute);
    return matcher === undefined
      ? []
      : both({ values, notValues }, (list) => matcher(list, { key, reader, writer }), permission.not);
  });
  return permission.allOf(rules.length === 0 ? [permission.anything] : rules);
}

function principalOf(matches: readonly AttributeMatch[], namespace: string) {
  const ids = matches.flatMap(({ attribute, key, values, notValues }) => {
    const matcher = principal.principalMatcher(attribute);
    return matcher === undefined
      ? []
      : both({ values, notValues }, (list) => matcher(list, { key, namespace }), principal.not);
  });
  return principal.allOf(ids.length === 0 ? [principal.anyone] : ids);
}

/** One of the values, and none of the other ones. */
function both<M>(
  { values, notValues }: Pick<AttributeMatch, "values" | "notValues">,
  matching: (list: readonly string[]) => M,
  not: (match: M) => M,
): readonly M[] {
  return [
    ...(values.length === 0 ? [] : [matching(values)]),
    ...(notValues.length === 0 ? [] : [not(matching(notValues))]),
  ];
}
