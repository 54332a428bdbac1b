import type { ChangeSummary } from "../../../src/desk/api/model/changes.ts";

/** The list with newer versions of its changes, and with new changes at the front. The newest is the first. */
export function merged(known: readonly ChangeSummary[], news: readonly ChangeSummary[]): readonly ChangeSummary[] {
  const latest = new Map(news.map((change) => [change.id, change]));
  const updated = known.map((change) => latest.get(change.id) ?? change);
  const ids = new Set(known.map(({ id }) => id));
  const newest = known[0]?.at ?? "";
  // An update of a change that is older than the list does not belong at its front.
  const added = news.filter(({ id, at }) => !ids.has(id) && at >= newest);
  return [...added.toSorted((a, b) => (a.at < b.at ? 1 : -1)), ...updated];
}
