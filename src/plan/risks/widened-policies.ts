import { deepEqual } from "../../lib/equal.ts";
import { mtlsPolicyFor } from "../../pilot/model/mtls/mtls-policy.ts";
import type { AuthorizationPolicy } from "../../pilot/model/policy/authorization-policy.ts";
import { policyWorkloadOf } from "../../pilot/model/policy/policy-workload.ts";
import { policyRefsFor, trafficPoliciesOf } from "../../pilot/model/policy/traffic-policies.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import type { Risk } from "../plan.ts";

type Widening = Omit<Risk, "code">;

/**
 * Policies of a proxy that may admit more after the change. It compares rules as they are written, so a rule that is
 * written anew counts as wider, even if it is narrower: a plan errs on the side of a second look.
 */
export function widenedPolicies(proxy: Proxy, before: PushContext, after: PushContext): readonly Risk[] {
  const [was, is] = [policiesOf(proxy, before), policiesOf(proxy, after)];
  if (was.authorization === is.authorization && was.authentication === is.authentication && was.mtls === is.mtls) {
    return [];
  }
  const found = [
    ...widerAllow(was.authorization, is.authorization),
    ...narrowerDeny(was.authorization, is.authorization),
    ...fewerTokens(was.authentication, is.authentication),
    ...moreTokens(was.authentication, is.authentication),
    ...lessMutualTls(was.mtls, is.mtls),
  ];
  return found.map((risk) => ({ code: "policy-widened", ...risk }));
}

function policiesOf(proxy: Proxy, push: PushContext) {
  const { authorization, authentication } = trafficPoliciesOf(policyRefsFor(policyWorkloadOf(proxy, push), push), push);
  return { authorization, authentication, mtls: mtlsPolicyFor(proxy, push) };
}

type Policies = ReturnType<typeof policiesOf>;
type Rule = AuthorizationPolicy["rules"][number];
type TokenRule = Policies["authentication"][number]["rules"][number];

function enforced(policies: Policies["authorization"], isAction: (action: AuthorizationPolicy["action"]) => boolean) {
  return policies.filter(({ action, dryRun }) => isAction(action) && !dryRun);
}

/** Without any ALLOW policy, everything is allowed. */
function widerAllow(before: Policies["authorization"], after: Policies["authorization"]): readonly Widening[] {
  const [was, is] = [before, after].map((all) => enforced(all, (action) => action === "allow"));
  if (was === undefined || is === undefined || was.length === 0) return [];
  if (is.length === 0) {
    const objects = was.map(({ owner }) => owner);
    return [{ text: `no ALLOW policy is left, so every request that no DENY policy matches is allowed`, objects }];
  }
  const known = was.flatMap(({ rules }) => rules);
  return is
    .filter(({ rules }) => rules.some((rule) => !isAmong(rule, known)))
    .map(({ owner }) => ({ text: `${owner} has a rule that may allow more requests`, objects: [owner] }));
}

function narrowerDeny(before: Policies["authorization"], after: Policies["authorization"]): readonly Widening[] {
  const [was = [], is = []] = [before, after].map((all) =>
    enforced(all, (action) => action === "deny" || action === "custom"),
  );
  return was.flatMap((policy) => {
    const rules = is.filter(({ action, provider }) => action === policy.action && provider === policy.provider);
    const left = rules.flatMap((each) => each.rules);
    if (policy.rules.every((rule) => isAmong(rule, left))) return [];
    const text = `${policy.owner} (${policy.action.toUpperCase()}) loses a rule, so requests that it matched may pass`;
    return [{ text, objects: [policy.owner] }];
  });
}

function isAmong(rule: Rule, rules: readonly Rule[]): boolean {
  return rules.some((each) => deepEqual(each, rule));
}

function fewerTokens(before: Policies["authentication"], after: Policies["authentication"]): readonly Widening[] {
  const issuers = new Set(after.flatMap(({ rules }) => rules.map(({ issuer }) => issuer)));
  return before.flatMap(({ owner, rules }) =>
    rules
      .filter(({ issuer }) => !issuers.has(issuer))
      .map(({ issuer }) => ({
        text: `${owner} no longer rejects invalid tokens of ${issuer}`,
        objects: [owner],
      })),
  );
}

/** Without any rule, tokens are not looked at, so a first rule admits nothing more. */
function moreTokens(before: Policies["authentication"], after: Policies["authentication"]): readonly Widening[] {
  const known = before.flatMap(({ rules }) => rules);
  if (known.length === 0) return [];
  return after.flatMap(({ owner, rules }) =>
    rules
      .filter((rule) => !known.some((each) => acceptsAll(each, rule)))
      .map(({ issuer }) => ({
        text: `${owner} may accept tokens of ${issuer} that were rejected before, or requests without one`,
        objects: [owner],
      })),
  );
}

/** Whether a rule accepts every request that another one accepts. Other keys may accept anything. */
function acceptsAll(rule: TokenRule, other: TokenRule): boolean {
  const hasSameKeys = deepEqual(rule.place, other.place) && (rule.place !== undefined || rule.keySet === other.keySet);
  const hasAudiences =
    rule.audiences.length === 0 ||
    (other.audiences.length > 0 && other.audiences.every((audience) => rule.audiences.includes(audience)));
  return rule.issuer === other.issuer && hasSameKeys && hasAudiences && (other.required || !rule.required);
}

function lessMutualTls(before: Policies["mtls"], after: Policies["mtls"]): readonly Widening[] {
  const ports = [...new Set([...before.ports.keys(), ...after.ports.keys()])];
  const modes = [
    { where: "", was: before.mode, is: after.mode },
    ...ports.map((port) => ({
      where: ` on port ${port}`,
      was: before.ports.get(port) ?? before.mode,
      is: after.ports.get(port) ?? after.mode,
    })),
  ];
  return modes
    .filter(({ was, is }) => was === "strict" && is !== "strict")
    .map(({ where, is }) => ({
      text: `mTLS is no longer required${where} (${is})`,
      objects: [...new Set([...before.owners, ...after.owners])],
    }));
}
