import type { Labels } from "../../config.ts";
import { selects } from "../../selector.ts";
import { selectorText } from "./label-selectors.ts";

interface Labelled {
  readonly namespace: string;
  readonly labels: Labels;
}

/**
 * Items by their labels, so that a selector need not check every item: meshes have thousands of both. Results for equal
 * selectors are shared.
 */
export class LabelIndex<T extends Labelled> {
  readonly #all: readonly T[];
  readonly #byLabel = new Map<string, T[]>();
  readonly #byNamespace: ReadonlyMap<string, readonly T[]>;
  readonly #answers = new Map<string, readonly T[]>();

  constructor(items: readonly T[]) {
    this.#all = items;
    this.#byNamespace = Map.groupBy(items, ({ namespace }) => namespace);
    for (const item of items) {
      for (const label of Object.entries(item.labels)) {
        const key = keyOf(label);
        const same = this.#byLabel.get(key);
        if (same === undefined) this.#byLabel.set(key, [item]);
        else same.push(item);
      }
    }
  }

  /**
   * The items that a selector selects, in one namespace or in all. Equal selectors get the same list. An empty selector
   * selects all.
   */
  select(selector: Labels, namespace?: string): readonly T[] {
    const question = `${namespace ?? "*"} ${selectorText(selector)}`;
    const known = this.#answers.get(question) ?? this.#find(selector, namespace);
    this.#answers.set(question, known);
    return known;
  }

  #find(selector: Labels, namespace: string | undefined): readonly T[] {
    const candidates = [this.#within(namespace), ...Object.entries(selector).map((label) => this.#with(label))];
    const fewest = candidates.reduce((best, each) => (each.length < best.length ? each : best));
    const isHere = (item: T) => namespace === undefined || item.namespace === namespace;
    return fewest.filter((item) => isHere(item) && selects(selector, item.labels));
  }

  #within(namespace: string | undefined): readonly T[] {
    return namespace === undefined ? this.#all : (this.#byNamespace.get(namespace) ?? []);
  }

  #with(label: readonly [string, string]): readonly T[] {
    return this.#byLabel.get(keyOf(label)) ?? [];
  }
}

function keyOf([key, value]: readonly [string, string]): string {
  return `${key}=${value}`;
}
