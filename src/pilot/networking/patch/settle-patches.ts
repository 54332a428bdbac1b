import type { EnvoyPatch } from "../../model/policy/envoy-patch.ts";
import type { PatchProblem, PatchRun } from "./patch-run.ts";

/** A try to apply some patches to a fresh copy of a resource. */
export interface Attempt<Result> {
  readonly result: Result;
  readonly run: PatchRun;
  /** Reasons why Envoy would refuse the result. */
  readonly violations: readonly PatchProblem[];
}

/** The patches that were applied, and those that were left out, each with its reason. */
export interface Settled<Result> {
  readonly result: Result;
  /** The application that made the result. */
  readonly run: PatchRun;
  readonly applied: readonly EnvoyPatch[];
  readonly problems: ReadonlyMap<EnvoyPatch, PatchProblem>;
}

/**
 * Applies as many patches as Envoy accepts. Usually these are all. Otherwise one patch is left out, if that is enough.
 * Else the patches are added one by one, and each one is left out that makes the resource invalid.
 */
export function settlePatches<Result>(
  patches: readonly EnvoyPatch[],
  attempt: (patches: readonly EnvoyPatch[]) => Attempt<Result>,
): Settled<Result> {
  const problems = new Map<EnvoyPatch, PatchProblem>();
  let left = patches;
  let last = attempt(left);
  // A patch that fails in one place of a resource is left out in all places of it.
  while (last.run.problems.size > 0) {
    for (const [patch, problem] of last.run.problems) problems.set(patch, problem);
    left = left.filter((patch) => !problems.has(patch));
    last = attempt(left);
  }
  if (last.violations.length > 0) {
    for (const [patch, problem] of culprits([...last.run.applied], last.violations, left, attempt))
      problems.set(patch, problem);
    last = attempt(left.filter((patch) => !problems.has(patch)));
  }
  return { result: last.result, run: last.run, applied: [...last.run.applied], problems };
}

function culprits<Result>(
  applied: readonly EnvoyPatch[],
  violations: readonly PatchProblem[],
  patches: readonly EnvoyPatch[],
  attempt: (patches: readonly EnvoyPatch[]) => Attempt<Result>,
): ReadonlyMap<EnvoyPatch, PatchProblem> {
  for (const one of applied.toReversed()) {
    const { violations: without } = attempt(patches.filter((patch) => patch !== one));
    if (without.length === 0) return new Map(violations.slice(0, 1).map((problem) => [one, problem]));
  }
  const found = new Map<EnvoyPatch, PatchProblem>();
  const good: EnvoyPatch[] = [];
  for (const patch of patches) {
    const [problem] = attempt([...good, patch]).violations;
    if (problem === undefined) good.push(patch);
    else found.set(patch, problem);
  }
  return found;
}
