import { ownValue } from "../lib/own-value.ts";
import type { Labels } from "./config.ts";

/** A label selector, as Kubernetes and the MeshConfig have it. */
interface LabelSelector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly Requirement[];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Kubernetes' label selectors with expressions. An absent one selects everything, as in webhooks. */
export function labelSelectorMatches(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return true;
  return (
    Object.entries(selector.matchLabels).every(([key, value]) => ownValue(labels, key) === value) &&
    selector.matchExpressions.every((requirement) => holds(requirement, ownValue(labels, requirement.key)))
  );
}

function holds({ operator, values }: Requirement, value: string | undefined): boolean {
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
