import type { Labels } from "../../../config.ts";
import type { LabelIndex } from "../../facts/label-index.ts";
import { selectorText } from "../../facts/labels.ts";
import type { Workload } from "../../facts/workloads.ts";

/** Largest number of selectors compared, for selectors that share workloads with hundreds of others. */
const maxSharing = 100;

/**
 * For a selector text, finds the selectors that select one of the same workloads, including itself. If no workload is
 * known yet, gateways with equal selectors count as sharing one.
 */
export function sharingSelectors(
  selectors: readonly Labels[],
  candidates: LabelIndex<Workload>,
): (selector: string) => readonly string[] {
  const selected = new Map(selectors.map((each) => [selectorText(each), candidates.select(each)]));
  const byWorkload = new Map<Workload, string[]>();
  for (const [text, all] of selected) {
    for (const workload of all) {
      const known = byWorkload.get(workload);
      if (known === undefined) byWorkload.set(workload, [text]);
      else if (known.length < maxSharing) known.push(text);
    }
  }
  const sharing = new Map<string, readonly string[]>();
  for (const [text, all] of selected) {
    const found = new Set([text]);
    for (const workload of all) {
      if (found.size >= maxSharing) break;
      for (const other of byWorkload.get(workload) ?? []) found.add(other);
    }
    sharing.set(text, [...found]);
  }
  return (selector) => sharing.get(selector) ?? [];
}
