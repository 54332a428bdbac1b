import type { Labels } from "../../config.ts";
import { selects } from "../../selector.ts";

interface Selecting<T> {
  readonly selector: Labels;
  readonly item: T;
  readonly order: number;
}

/** Items by the labels that they select, so that a workload need not be compared with every selector. */
export class SelectorIndex<T> {
  /** By the label of the selector that the fewest selectors have; "" for an empty selector. */
  readonly #byLabel: ReadonlyMap<string, readonly Selecting<T>[]>;

  constructor(items: readonly T[], selectorOf: (item: T) => Labels) {
    const all = items.map((item, order) => ({ selector: selectorOf(item), item, order }));
    const uses = new Map<string, number>();
    for (const { selector } of all) {
      for (const label of labelsIn(selector)) uses.set(label, (uses.get(label) ?? 0) + 1);
    }
    this.#byLabel = Map.groupBy(all, ({ selector }) => {
      const labels = labelsIn(selector);
      return labels.length === 0
        ? ""
        : labels.reduce((best, each) => ((uses.get(each) ?? 0) < (uses.get(best) ?? 0) ? each : best));
    });
  }

  /** The first item that selects a workload with these labels. */
  first(labels: Labels): T | undefined {
    const found = ["", ...labelsIn(labels)].flatMap((label) => {
      return this.#byLabel.get(label)?.find(({ selector }) => selects(selector, labels)) ?? [];
    });
    return found.toSorted((a, b) => a.order - b.order)[0]?.item;
  }
}

function labelsIn(labels: Labels): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}
