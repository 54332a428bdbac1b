import { fieldPath } from "../field-path.ts";
import { error, type Finding } from "../finding.ts";

/** Finds items that repeat an earlier one. Items for which `valueOf` returns undefined may repeat. */
export function unique<Item>(
  items: readonly Item[],
  path: string,
  { what, field = [], valueOf }: { what: string; field?: readonly string[]; valueOf: (item: Item) => unknown },
): readonly Finding[] {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    const value = valueOf(item);
    const repeated = value !== undefined && seen.has(value);
    seen.add(value);
    if (!repeated) return [];
    const message = `${what} ${JSON.stringify(value)} is used twice`;
    const place = field.reduce((base, step) => fieldPath(base, step), fieldPath(path, index));
    return error(place, { code: "duplicate-value", message });
  });
}
