import type { LabelSelector, LabelSelectorRequirement } from "#gen/k8s/meta/v1/meta_pb.js";
import { compareTexts } from "../../../lib/compare.ts";
import { ownValue } from "../../../lib/own-value.ts";
import type { Labels } from "../../config.ts";

/** `app=reviews,version=v1`, as people write selectors. */
export function selectorText(selector: Labels): string {
  return Object.entries(selector)
    .toSorted(([a], [b]) => compareTexts(a, b))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** Kubernetes' label selectors with expressions. An absent one selects everything, as in webhooks. */
export function labelSelectorMatches(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return true;
  return (
    Object.entries(selector.matchLabels).every(([key, value]) => ownValue(labels, key) === value) &&
    selector.matchExpressions.every((requirement) => holds(requirement, ownValue(labels, requirement.key)))
  );
}

function holds({ operator, values }: LabelSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
