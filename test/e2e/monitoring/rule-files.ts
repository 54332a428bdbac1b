import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../support/checkout.ts";

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

interface RuleFile<Rule> {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

export const alertsFile = join(root, "deploy/prometheus/alerts.yaml");
export const recordingFile = join(root, "deploy/prometheus/recording.yaml");

export function alertRules(): readonly AlertRule[] {
  return (contentOf(alertsFile) as RuleFile<AlertRule>).groups.flatMap(({ rules }) => rules);
}

export function recordingRules(): readonly RecordingRule[] {
  return (contentOf(recordingFile) as RuleFile<RecordingRule>).groups.flatMap(({ rules }) => rules);
}

function contentOf(file: string): unknown {
  return parse(readFileSync(file, "utf8"));
}
