import type { ConfigId } from "../../config/config.ts";
import { type AuthorizationPolicy, withoutReplaced } from "../../pilot/model/policy/authorization-policy.ts";
import { anyOf, type Certainty } from "./certainty.ts";
import { type KnownCall, ruleMatches } from "./rule-match.ts";
import type { Reason } from "./verdict.ts";

/**
 * The decisions of the AuthorizationPolicies of a workload about all requests of a caller: CUSTOM and DENY, then ALLOW. A
 * policy in a dry run decides nothing, neither does AUDIT.
 */
export function policyReasons(policies: readonly AuthorizationPolicy[], call: KnownCall): readonly Reason[] {
  const judged = withoutReplaced(policies)
    .filter(({ dryRun }) => !dryRun)
    .map((policy) => ({ policy, answer: policyMatches(policy, call) }));
  const of = (action: AuthorizationPolicy["action"]) => judged.filter(({ policy }) => policy.action === action);
  const reasons = [
    ...of("custom").flatMap(({ policy, answer }) => (answer === "never" ? [] : [askedReason(policy)])),
    ...of("deny").flatMap(({ policy, answer }) => (answer === "never" ? [] : [denyReason(policy, answer)])),
    ...allowReasons(of("allow")),
  ];
  return reasons.length > 0 ? reasons : [{ verdict: "allowed", text: "no AuthorizationPolicy denies it", objects: [] }];
}

interface Judged {
  readonly policy: AuthorizationPolicy;
  readonly answer: Certainty;
}

function policyMatches(policy: AuthorizationPolicy, call: KnownCall): Certainty {
  return anyOf(policy.rules.map((rule) => ruleMatches(rule, call, policy)));
}

function askedReason({ owner, provider = "unknown" }: AuthorizationPolicy): Reason {
  return { verdict: "depends", text: `the provider ${provider} decides`, objects: [owner] };
}

function denyReason({ owner }: AuthorizationPolicy, answer: Certainty): Reason {
  return answer === "always"
    ? { verdict: "denied", text: "a DENY policy matches every request of the caller", objects: [owner] }
    : { verdict: "depends", text: "a DENY policy matches some requests", objects: [owner] };
}

/** With ALLOW policies, only requests that one of them matches are accepted. */
function allowReasons(judged: readonly Judged[]): readonly Reason[] {
  if (judged.length === 0) return [];
  const owners = (answer: Certainty): readonly ConfigId[] =>
    judged.filter((each) => each.answer === answer).map(({ policy }) => policy.owner);
  const always = owners("always");
  if (always.length > 0) {
    return [{ verdict: "allowed", text: "an ALLOW policy matches every request of the caller", objects: always }];
  }
  const sometimes = owners("sometimes");
  if (sometimes.length > 0) {
    return [
      { verdict: "depends", text: "ALLOW policies match some requests, and deny the others", objects: sometimes },
    ];
  }
  return [
    { verdict: "denied", text: "there are ALLOW policies, and none matches the caller", objects: owners("never") },
  ];
}
