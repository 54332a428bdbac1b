import { type Config, configKey, type Labels } from "../../config.ts";
import type { AnalysisContext } from "../analyzer.ts";
import type { MessageType } from "../message.ts";
import { messages } from "../messages.ts";
import { selectorText } from "./labels.ts";
import { listed } from "./names.ts";
import { workloads } from "./workloads.ts";

/** An object that is for the workloads of its namespace with these labels; with none, for all the others do not name. */
export interface PlacedSelector {
  readonly config: Config;
  readonly labels: Labels;
  readonly path: string;
}

/**
 * For kinds of which one object applies to a workload: reports selectors that select nothing, and workloads that several
 * select. Reads what `workloads` reads.
 */
export function reportSelectors(
  selectors: readonly PlacedSelector[],
  context: AnalysisContext,
  conflict: MessageType<`${string}{workload}${string}{objects}`>,
): void {
  const withLabels = selectors.filter(({ labels }) => Object.keys(labels).length > 0);
  const candidates = workloads(context);
  const bySelected = new Map<string, PlacedSelector[]>();
  for (const selector of withLabels) {
    const { config, labels, path } = selector;
    const selected = candidates.select(labels, config.namespace);
    for (const workload of selected) {
      const key = configKey(workload);
      bySelected.set(key, [...(bySelected.get(key) ?? []), selector]);
    }
    if (selected.length > 0) continue;
    const parameters = { what: "selector", reference: selectorText(labels) };
    context.report(messages.referencedResourceNotFound, { config, path }, parameters);
  }
  for (const [workload, rivals] of bySelected) {
    const objects = listed(rivals.map(({ config }) => config));
    if (new Set(rivals).size < 2) continue;
    for (const { config, path } of rivals) context.report(conflict, { config, path }, { workload, objects });
  }
}

/** Reports namespaces with several objects for everything that the others do not name. */
export function reportDefaults(
  selectors: readonly PlacedSelector[],
  context: AnalysisContext,
  several: MessageType<`${string}{objects}`>,
): void {
  const without = selectors.filter(({ labels }) => Object.keys(labels).length === 0);
  for (const rivals of Map.groupBy(without, ({ config }) => config.namespace).values()) {
    const objects = listed(rivals.map(({ config }) => config));
    if (rivals.length < 2) continue;
    for (const { config } of rivals) context.report(several, { config, path: "metadata.name" }, { objects });
  }
}
