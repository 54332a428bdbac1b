import type { JSX } from "preact";
import type { Shortened } from "../../src/desk/api/model/listing.ts";
import type { ValueDiff } from "../../src/desk/api/model/proxies.ts";
import { count } from "./quantity.ts";

export interface ValueDiffsProps {
  readonly differences: Shortened<ValueDiff>;
  /** The words for the two sides. */
  readonly here: string;
  readonly there: string;
}

/** The parts of two values that differ, one below the other. */
export function ValueDiffs({ differences: { items, total }, here, there }: ValueDiffsProps): JSX.Element {
  return (
    <>
      <dl class="differences">
        {items.map((diff) => (
          <div key={diff.path}>
            <dt>
              <code>{diff.path || "the whole resource"}</code>
            </dt>
            <dd class="here">
              <span class="hint">{here}</span> <code>{textOf(diff.here)}</code>
            </dd>
            <dd class="there">
              <span class="hint">{there}</span> <code>{textOf(diff.there)}</code>
            </dd>
          </div>
        ))}
      </dl>
      {total > items.length && <p class="hint">and {count(total - items.length)} more</p>}
    </>
  );
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value, undefined, typeof value === "object" ? 1 : 0);
}
