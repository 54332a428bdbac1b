import { ownValue } from "../../lib/own-value.ts";
import { fieldPath } from "../field-path.ts";
import { error, type Finding } from "../finding.ts";

/** Tests a policy without enforcing it. Only AuthorizationPolicies support it. */
export const dryRun = "istio.io/dry-run";

/**
 * Istio sets these on its internal objects. With them an author could pretend that an object belongs to another
 * namespace.
 */
const internal = [
  "internal.istio.io/parents",
  "internal.istio.io/parent-namespace",
  "internal.istio.io/webhook-always-reject",
];

/** Whether the policy is a trial: what it would do is logged and not enforced. */
export function isTrial(annotations: Readonly<Record<string, string>>): boolean {
  return /^(?:1|t|true)$/iu.test(ownValue(annotations, dryRun) ?? "");
}

/** Annotations that are not allowed on an object of Istio. */
export function forbiddenAnnotations(kind: string, annotations: Readonly<Record<string, string>>): readonly Finding[] {
  const forbidden = kind === "AuthorizationPolicy" ? internal : [dryRun, ...internal];
  return forbidden
    .filter((annotation) => Object.hasOwn(annotations, annotation))
    .map((annotation) =>
      error(fieldPath("metadata.annotations", annotation), {
        code: "bad-annotation",
        message: `a ${kind} cannot have the annotation ${annotation}`,
      }),
    );
}
