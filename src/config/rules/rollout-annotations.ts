import type { Labels } from "../config.ts";
import { fieldPath } from "../field-path.ts";
import { error, type Finding, warning } from "../finding.ts";
import { readPlan, rolloutAnnotations, rolloutNameOf } from "../rollout/rollout-plan.ts";
import { stagedKinds } from "../rollout/staged-kinds.ts";

const path = (annotation: string) => fieldPath("metadata.annotations", annotation);

/** Settings of a rollout that cannot be used. A policy stays in force whatever its annotations say. */
export function rolloutFindings(kind: string, annotations: Labels): readonly Finding[] {
  if (stagedKinds.has(kind)) {
    const { bad } = readPlan(annotations);
    return bad.map(({ annotation, message }) => error(path(annotation), { code: "bad-annotation", message }));
  }
  if (rolloutNameOf(annotations) === undefined) return [];
  const message = `changes of a ${kind} are served at once to all proxies, and never in waves`;
  return [warning(path(rolloutAnnotations.name), { code: "bad-annotation", message })];
}
