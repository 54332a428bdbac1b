import type { Config, Labels } from "../../config.ts";
import type { AnalysisContext } from "../analyzer.ts";
import type { MessageType } from "../message.ts";
import { messages } from "../messages.ts";
import { selectorText } from "./label-selectors.ts";
import { listed, listedGroups } from "./listed-names.ts";
import { type SelectableWorkload, workloads } from "./selectable-workloads.ts";

/**
 * An object for the workloads of its namespace with these labels. Without labels it is for all workloads that no other
 * object selects.
 */
export interface PlacedSelector {
  readonly config: Config;
  readonly labels: Labels;
  readonly path: string;
}

/**
 * For kinds where one object applies to a workload. Reports selectors that select nothing, and workloads that several
 * objects select. Reads the kinds that `workloads` reads.
 */
export function reportSelectors(
  selectors: readonly PlacedSelector[],
  context: AnalysisContext,
  conflict: MessageType<`${string}{workload}${string}{objects}`>,
): void {
  const withLabels = selectors.filter(({ labels }) => Object.keys(labels).length > 0);
  const candidates = workloads(context);
  const groups = new Map<readonly SelectableWorkload[], PlacedSelector[]>();
  for (const selector of withLabels) {
    const { config, labels, path } = selector;
    const selected = candidates.select(labels, config.namespace);
    const equals = groups.get(selected);
    if (equals === undefined) groups.set(selected, [selector]);
    else equals.push(selector);
    if (selected.length > 0) continue;
    const parameters = { what: "selector", reference: selectorText(labels) };
    context.report(messages.referencedResourceNotFound, { config, path }, parameters);
  }
  for (const { workloads: shared, groups: rivals } of sharedWorkloads(groups)) {
    const parameters = { workload: listed(shared), objects: listedGroups(rivals.map(configsOf)) };
    for (const { config, path } of rivals.flat()) context.report(conflict, { config, path }, parameters);
  }
}

interface Shared {
  readonly workloads: readonly SelectableWorkload[];
  /** The groups of selectors that select all these workloads: at least two. */
  readonly groups: readonly (readonly PlacedSelector[])[];
}

/** Largest number of shared sets of workloads reported per object. */
const maxShared = 20;

/** The workloads that several objects select, grouped by these objects. */
function sharedWorkloads(
  groups: ReadonlyMap<readonly SelectableWorkload[], readonly PlacedSelector[]>,
): readonly Shared[] {
  const selecting = new Map<SelectableWorkload, number[]>();
  for (const [index, selected] of [...groups.keys()].entries()) {
    for (const workload of selected) {
      const known = selecting.get(workload);
      if (known === undefined) selecting.set(workload, [index]);
      else known.push(index);
    }
  }
  const all = [...groups.values()];
  const told = new Map<number, number>();
  return [...Map.groupBy(selecting, ([, indexes]) => indexes.join()).values()].flatMap((same) => {
    const indexes = same[0]?.[1] ?? [];
    for (const index of indexes) told.set(index, (told.get(index) ?? 0) + 1);
    const rivals = indexes.flatMap((index) => ((told.get(index) ?? 0) > maxShared ? [] : [all[index] ?? []]));
    return rivals.flat().length < 2 ? [] : [{ workloads: same.map(([workload]) => workload), groups: rivals }];
  });
}

function configsOf(selectors: readonly PlacedSelector[]): readonly Config[] {
  return selectors.map(({ config }) => config);
}

/** Reports namespaces with several objects that have no selector. */
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
