import { labelSelectorMatches } from "../config/label-selector.ts";
import type { Texts } from "./pod.ts";
import type { LabelSelector } from "./settings/injection-settings.ts";

/** Whether the labels match. An empty selector matches nothing: a forgotten list must not select all pods. */
export function selectsLabels(selector: LabelSelector, labels: Texts): boolean {
  const { matchLabels, matchExpressions } = selector;
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  return !isEmpty && labelSelectorMatches(selector, labels);
}
