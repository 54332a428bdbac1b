import { type PathStep, pathSteps } from "../../../src/config/field-path.ts";
import type { Issue } from "../../../src/config/issue.ts";
import { isMapping } from "../../../src/lib/is-mapping.ts";
import { ownValue } from "../../../src/lib/own-value.ts";
import type { KnownDifference, OursOnly } from "./known/known-difference.ts";
import { knownDifferences } from "./known-differences.ts";

/** The known difference that explains an error of ours in an object that istioctl accepts. */
export function explainOurs({ code, path }: Issue, kind: string, object: unknown): KnownDifference | undefined {
  const steps = pathSteps(path);
  return knownDifferences.find((row) => row.type === "ours" && row.code === code && excuses(row, kind, object, steps));
}

/** Whether the row explains errors at this place of this object. */
export function excuses(row: OursOnly, kind: string, object: unknown, steps: readonly PathStep[]): boolean {
  if (row.kinds !== "all" && !row.kinds.includes(kind)) return false;
  const parts = steps.reduce((around, step) => [...around, valueAt(around.at(-1), step)], [object]);
  return hasField(row, steps) && row.values.hold(parts.at(-1), steps.at(-1) ?? "", parts.slice(0, -1));
}

/** The known difference that explains an error of istioctl in an object that we accept. */
export function explainTheirs(message: string, kind: string): KnownDifference | undefined {
  return knownDifferences.find((row) => row.type === "theirs" && row.kinds.includes(kind) && row.message.test(message));
}

function valueAt(holder: unknown, step: PathStep): unknown {
  if (Array.isArray(holder)) return holder[Number(step)];
  return isMapping(holder) ? ownValue(holder, String(step)) : undefined;
}

function hasField({ fields }: OursOnly, [spec, ...steps]: readonly PathStep[]): boolean {
  return spec === "spec" && fields.some((field) => matches(field.split(/(?=\[)|\./u), steps));
}

function matches([first, ...rest]: readonly string[], steps: readonly PathStep[]): boolean {
  if (first === undefined) return steps.length === 0;
  if (first === "**") return steps.some((_, index) => matches(rest, steps.slice(index))) || rest.length === 0;
  const [step, ...others] = steps;
  if (step === undefined) return false;
  return isStep(first, step) && matches(rest, others);
}

function isStep(pattern: string, step: PathStep): boolean {
  if (pattern === "[]") return typeof step === "number";
  if (typeof step === "number") return false;
  return pattern === "*" || step === pattern || (pattern.startsWith("*") && step.endsWith(pattern.slice(1)));
}
