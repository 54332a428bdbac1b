import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { RBAC_Action as Action, type RBAC as Rules } from "#gen/envoy/config/rbac/v3/rbac_pb.js";
import {
  RBACSchema as HttpRbacSchema,
  RBACPerRouteSchema,
} from "#gen/envoy/extensions/filters/http/rbac/v3/rbac_pb.js";
import { RBACSchema as NetworkRbacSchema } from "#gen/envoy/extensions/filters/network/rbac/v3/rbac_pb.js";
import type { ConfigId } from "../../config/config.ts";
import { type Decider, type RequestOutcome, refused } from "../explanation.ts";
import { type GuardedPlace, type GuardResult, ownersOf, passes, rejects } from "./guard.ts";
import type { JudgedRequest } from "./judged-request.ts";
import { policiesIn, policyRuleOf, policyRulesOf, policyText } from "./policy-id.ts";
import { type RbacMatch, rbacMatch } from "./rbac-rules.ts";

/** Enforced rules, and rules of a dry run or of an external authorizer. */
interface RbacConfig {
  readonly rules?: Rules | undefined;
  readonly shadowRules?: Rules | undefined;
  readonly shadowRulesStatPrefix: string;
}

export function httpRbacGuard(config: Any, judged: JudgedRequest, place: GuardedPlace): GuardResult | undefined {
  const own = anyUnpack(config, HttpRbacSchema);
  const ofRoute = place.override && anyUnpack(place.override, RBACPerRouteSchema);
  if (own === undefined) return undefined;
  if (ofRoute !== undefined && ofRoute.rbac === undefined) return passes("it enforces nothing here");
  return rbacGuard(ofRoute?.rbac ?? own, judged, { ...place, metadataName: "envoy.filters.http.rbac" });
}

export function networkRbacGuard(config: Any, judged: JudgedRequest, place: GuardedPlace): GuardResult | undefined {
  const rbac = anyUnpack(config, NetworkRbacSchema);
  return rbac && rbacGuard(rbac, judged, { ...place, metadataName: "envoy.filters.network.rbac" });
}

function rbacGuard(
  { rules, shadowRules, shadowRulesStatPrefix: prefix }: RbacConfig,
  judged: JudgedRequest,
  { metadataName, owners }: GuardedPlace & { readonly metadataName: string },
): GuardResult {
  const shadow = shadowRules && shadowOf(shadowRules, judged, { prefix, owners });
  const enforced = rules === undefined ? passes("it enforces nothing") : enforcedBy(rules, judged, owners);
  if (shadow === undefined) return enforced;
  const step = { ...enforced.step, ...(rules === undefined && { why: shadow.why }) };
  const notes = rules === undefined ? step.notes : [...step.notes, shadow.why];
  const behind = rules === undefined ? shadow.owners : step.owners;
  return { ...enforced, step: { ...step, notes, owners: behind }, metadata: { [metadataName]: shadow.metadata } };
}

function enforcedBy(rules: Rules, judged: JudgedRequest, owners: readonly ConfigId[]): GuardResult {
  const match = rbacMatch(rules, judged);
  const refusal = refused("", judged.layer === "request" ? { status: 403 } : {});
  switch (rules.action) {
    case Action.DENY: {
      const matched = `${matchText(match, owners)}, and it denies`;
      if (match.policy !== undefined) return denied(matched, refusal, decidersOf(match, owners));
      return doubtOf(match, owners) ?? passes("no rule that denies matches");
    }
    case Action.LOG: {
      const marked =
        match.policy === undefined
          ? "no rule that audits matches"
          : `${matchText(match, owners)}: it is marked for the audit log`;
      return passes(marked, { deciders: [] });
    }
    case Action.ALLOW:
    default: {
      if (match.policy !== undefined)
        return passes(`${matchText(match, owners)}, and it allows`, { deciders: decidersOf(match, owners) });
      return doubtOf(match, owners) ?? denied("no rule that allows matches", refusal, policiesOf(rules, owners));
    }
  }
}

/**
 * The policies of a filter. Rules about HTTP alone leave nothing of themselves at a connection: then any policy of the
 * listener may be behind the filter.
 */
function policiesOf({ policies }: Rules, owners: readonly ConfigId[]): readonly Decider[] {
  const named = Object.keys(policies).flatMap((name) => policyRulesOf(name, owners).map(({ object }) => object));
  const possible = named.length > 0 ? named : policiesIn(owners);
  return [...new Set(possible)].map((object) => ({ object }));
}

function denied(why: string, refusal: ReturnType<typeof refused>, deciders: readonly Decider[]): GuardResult {
  return rejects(why, { ...refusal, reason: `RBAC: access denied: ${why}` }, { deciders });
}

/** The result depends on a fact that explain was not told. */
function doubtOf({ undecided: [first] }: RbacMatch, owners: readonly ConfigId[]): GuardResult | undefined {
  if (first === undefined) return undefined;
  const reason = `${policyText(first.policy, owners)} decides, and ${first.text}`;
  const outcome: RequestOutcome = { type: "unknown", reason };
  return rejects(reason, outcome, { deciders: decidersOf(first, owners) });
}

function decidersOf({ policy }: Pick<RbacMatch, "policy">, owners: readonly ConfigId[]): readonly Decider[] {
  const rules = policy === undefined ? [] : policyRulesOf(policy, owners);
  return rules.map(({ object, part }) => ({ object, part }));
}

function matchText({ policy = "", text }: RbacMatch, owners: readonly ConfigId[]): string {
  return `${policyText(policy, owners)} matches${text === "" ? "" : ` (${text})`}`;
}

/** A dry run only writes down what it would do. The rules of a CUSTOM policy say whether its provider is asked. */
function shadowOf(
  rules: Rules,
  judged: JudgedRequest,
  { prefix, owners }: { readonly prefix: string; readonly owners: readonly ConfigId[] },
) {
  const match = rbacMatch(rules, judged);
  const matched = match.policy !== undefined;
  const allowed = rules.action === Action.ALLOW ? matched : !matched;
  const provider = Object.keys(rules.policies)
    .map((name) => policyRuleOf(name)?.provider)
    .find((name) => name !== undefined);
  const result =
    match.undecided.length > 0 && !matched ? "depends on unknown facts" : allowed ? "would allow it" : "would deny it";
  const reason = matched ? matchText(match, owners) : "no rule matches";
  const asked = matched
    ? `${matchText(match, owners)}: ${provider} is asked`
    : `no rule matches: ${provider} is not asked`;
  return {
    why: provider === undefined ? `the dry run ${result}: ${reason}` : asked,
    owners: ownersOf(decidersOf(match, owners)),
    metadata: {
      ...(match.policy !== undefined && { [`${prefix}shadow_effective_policy_id`]: match.policy }),
      [`${prefix}shadow_engine_result`]: allowed ? "allowed" : "denied",
    },
  };
}
