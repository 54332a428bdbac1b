import { compareTexts } from "../../../lib/compare.ts";

/** Names that patterns are compared with: `prod-*`, `*-test`, `*` or a name. No pattern looks at every name. */
export class NamePatterns {
  readonly #names: ReadonlySet<string>;
  readonly #sorted: readonly string[];
  readonly #reversed: readonly string[];

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    this.#sorted = [...this.#names].toSorted(compareTexts);
    this.#reversed = [...this.#names].map(reversed).toSorted(compareTexts);
  }

  /** Whether some name begins with a text. */
  someBegins(start: string): boolean {
    return begins(this.#sorted, start);
  }

  /** Whether some name ends with a text. */
  someEnds(end: string): boolean {
    return begins(this.#reversed, reversed(end));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }
}

function reversed(text: string): string {
  return text.split("").toReversed().join("");
}

/** In a sorted list, the first text that is not before `start` begins with it if any does. */
function begins(sorted: readonly string[], start: string): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareTexts(sorted[middle] ?? "", start) < 0) low = middle + 1;
    else high = middle;
  }
  return sorted[low]?.startsWith(start) === true;
}
