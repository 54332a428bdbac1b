import { ownValue } from "../lib/own-value.ts";
import type { Texts } from "./pod.ts";
import type { LabelExpression, LabelSelector } from "./settings/injection-settings.ts";

/** Whether the labels match. An empty selector matches nothing: a forgotten list must not select all pods. */
export function selectsLabels({ matchLabels, matchExpressions }: LabelSelector, labels: Texts): boolean {
  const wanted = Object.entries(matchLabels);
  if (wanted.length + matchExpressions.length === 0) return false;
  return (
    wanted.every(([key, value]) => ownValue(labels, key) === value) &&
    matchExpressions.every((expression) => holds(expression, ownValue(labels, expression.key)))
  );
}

function holds({ operator, values }: LabelExpression, value: string | undefined): boolean {
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
      return operator satisfies never;
  }
}
