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
