import { compareTexts } from "../lib/compare.ts";
import { type LoggedChange, placeKey, provenanceIn, type StateEntry } from "./moment.ts";

type State = ReadonlyMap<string, StateEntry>;

/** The changes from one state to another. The content of the later state is written already. */
export function changesBetweenStates(before: State, after: State): readonly LoggedChange[] {
  const gone = [...before].flatMap(([place, entry]) =>
    after.has(place) ? [] : [changeOf(entry, entry.object, undefined)],
  );
  const changed = [...after].flatMap(([place, entry]) => {
    const known = before.get(place)?.object;
    return known === entry.object ? [] : [changeOf(entry, known, entry.object)];
  });
  return [...gone, ...changed].toSorted((a, b) => compareTexts(placeKey(a), placeKey(b)));
}

function changeOf(entry: StateEntry, before: string | undefined, object: string | undefined): LoggedChange {
  const { collection, key } = entry;
  return { collection, key, ...idsOf(before, object), ...provenanceIn(entry) };
}

/** The ids of a content before and after a change. Undefined ones are left out. */
export function idsOf(before: string | undefined, object: string | undefined): Pick<LoggedChange, "before" | "object"> {
  return { ...(before !== undefined && { before }), ...(object !== undefined && { object }) };
}
