import type { Recording, RecordedResults } from "../e2e/support/recorded-results.ts";

/** A sentence with the dates of recorded results, and the load of the machine. */
export function conditionsOf(results: RecordedResults<object>): string {
  const all: readonly Recording[] = Object.values(results);
  if (all.length === 0) return "Nothing is recorded.";
  const dates = all.map(({ date }) => date).toSorted();
  const loads = all.map(({ load }) => load).toSorted((a, b) => a - b);
  const [first, last] = [dates[0], dates.at(-1)];
  const days = first === last ? `on ${first}` : `between ${first} and ${last}`;
  return `The figures were recorded ${days} on a machine with two cores, at an average load of ${loads[0]} to ${loads.at(-1)}.`;
}
