import { PolicySchema, RBAC_Action, type RBACSchema } from "#gen/envoy/config/rbac/v3/rbac_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { MessageLiteral, ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { AuthorizationPolicy } from "../../model/policy/authorization-policy.ts";
import { neverMatching, type RuleReader, rbacPolicyOf } from "./rbac-rule.ts";

export type Rbac = MessageLiteral<typeof RBACSchema>;

/** How filters name the rules of a policy. Envoy logs these names. */
export type RuleName = (policy: AuthorizationPolicy, index: number) => string;

/** The encoded rule, by the index in its policy. */
interface EncodedRule {
  readonly index: number;
  readonly bytes: Uint8Array;
}

const rbacActions = {
  allow: RBAC_Action.ALLOW,
  deny: RBAC_Action.DENY,
  audit: RBAC_Action.LOG,
  custom: RBAC_Action.DENY,
} as const;

/**
 * The rules of some policies with the same action. Undefined without policies. Envoy denies every request if there are
 * ALLOW policies and their rules cannot match.
 */
export function rbacOf(
  policies: readonly AuthorizationPolicy[],
  reader: RuleReader,
  nameOf: RuleName,
  writer: ProtoWriter,
): Rbac | undefined {
  const [first] = policies;
  if (first === undefined) return undefined;
  const entries = policies.flatMap((policy) =>
    encodeRules([policy, writer], reader).map(({ index, bytes }) => [nameOf(policy, index), bytes] as const),
  );
  return { action: rbacActions[first.action], policies: Object.fromEntries(entries) };
}

/** One encoding for all listeners of all proxies that the policy applies to. */
const encodeRules = memoize(
  ([policy, writer]: readonly [AuthorizationPolicy, ProtoWriter], reader: RuleReader): readonly EncodedRule[] => {
    if (policy.rules.length === 0) return [{ index: 0, bytes: writer.encode(PolicySchema, neverMatching) }];
    return policy.rules.flatMap((rule, index) => {
      const literal = rbacPolicyOf(rule, policy, reader, writer);
      return literal === undefined ? [] : [{ index, bytes: writer.encode(PolicySchema, literal) }];
    });
  },
);
