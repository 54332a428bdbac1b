import { fieldPath } from "../field-path.ts";
import { error, type Finding } from "../finding.ts";

/** Try a policy without enforcing it: AuthorizationPolicies alone have that. */
export const dryRun = "istio.io/dry-run";

/** Istio writes these on what it makes for itself: an author could pretend that an object is another namespace's. */
const internal = [
  "internal.istio.io/parents",
  "internal.istio.io/parent-namespace",
  "internal.istio.io/webhook-always-reject",
];

/** Annotations that one of Istio's objects cannot have. */
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
