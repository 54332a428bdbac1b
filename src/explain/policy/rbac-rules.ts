import type { Policy, RBAC } from "#gen/envoy/config/rbac/v3/rbac_pb.js";
import { compareTexts } from "../../lib/compare.ts";
import type { JudgedRequest } from "./judged-request.ts";
import { allOf, anyOf, type Judgement, undecided } from "./judgement.ts";
import { permissionJudgement, principalJudgement } from "./rbac-conditions.ts";

/** The entry of an RBAC filter that a request matches. */
export interface RbacMatch {
  /** The name of the first matching entry, in Envoy's order: by name. Undefined if none matches. */
  readonly policy: string | undefined;
  /** Why, in words. Empty for an entry that matches everything. */
  readonly text: string;
  /** Entries before it that depend on unknown facts, and those facts. */
  readonly undecided: readonly { readonly policy: string; readonly text: string }[];
}

export function rbacMatch({ policies }: RBAC, judged: JudgedRequest): RbacMatch {
  const open: { policy: string; text: string }[] = [];
  const byName = Object.entries(policies).toSorted(([a], [b]) => compareTexts(a, b));
  for (const [name, policy] of byName) {
    const { holds, text } = policyJudgement(policy, judged);
    if (holds === true) return { policy: name, text, undecided: open };
    if (holds === undefined) open.push({ policy: name, text });
  }
  return { policy: undefined, text: "", undecided: open };
}

function policyJudgement({ permissions, principals, condition }: Policy, judged: JudgedRequest): Judgement {
  return allOf([
    anyOf(permissions.map((each) => permissionJudgement(each, judged))),
    anyOf(principals.map((each) => principalJudgement(each, judged))),
    ...(condition === undefined ? [] : [undecided("an expression decides")]),
  ]);
}
