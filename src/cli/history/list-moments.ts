import type { History } from "../../history/history.ts";
import { type LoggedChange, type Moment, placeKey } from "../../history/moment.ts";
import { counted } from "../../lib/counted.ts";
import { textTable } from "../text/text-table.ts";
import { objectName } from "./logged-place.ts";

/** A change as the command prints it. */
interface ShownChange {
  readonly operation: "added" | "updated" | "removed";
  readonly object: string;
  readonly source: string;
  readonly reference: string;
  readonly author?: string;
  readonly revision?: string;
}

/** A moment as the command prints it. */
export interface ShownMoment {
  readonly number: number;
  readonly at: string;
  readonly cause: Moment["cause"];
  readonly changes: readonly ShownChange[];
}

export interface ListOptions {
  readonly limit: number;
  /** In milliseconds since 1970. */
  readonly since: number;
  /** Only the changes of the object at this place. */
  readonly place: string | undefined;
}

/** More changes of one moment are not worth a line each. JSON has all of them. */
const mostChanges = 10;

/** The newest moments first. */
export async function listMoments(
  history: History,
  { limit, since, place }: ListOptions,
): Promise<readonly ShownMoment[]> {
  const shown: ShownMoment[] = [];
  for await (const { number, at, cause, changes } of history.moments()) {
    if (at < since || shown.length === limit) break;
    const own = place === undefined ? changes : changes.filter((change) => placeKey(change) === place);
    if (place !== undefined && own.length === 0) continue;
    shown.push({ number, at: timeText(at), cause, changes: own.map(shownChange) });
  }
  return shown;
}

export function momentsText(moments: readonly ShownMoment[], form: "text" | "wide"): string {
  const isWide = form === "wide";
  const head = ["MOMENT", "TIME", "CHANGE", "OBJECT", "FROM", ...(isWide ? ["AUTHOR", "REVISION", "SOURCE"] : [])];
  const rows = moments.flatMap(({ number, at, cause, changes }) => {
    const lines = changes
      .slice(0, mostChanges)
      .map((change) => [
        change.operation,
        change.object,
        change.reference,
        ...(isWide ? [change.author ?? "", change.revision ?? "", change.source] : []),
      ]);
    const more = changes.length - mostChanges;
    const all = [
      ...(cause === "change" ? [] : [[causeText(cause, changes.length)]]),
      ...lines,
      ...(more > 0 ? [[`and ${counted(more, "more object")}`]] : []),
    ];
    return all.map((cells, index) => (index === 0 ? [String(number), at, ...cells] : ["", "", ...cells]));
  });
  return textTable(head, rows);
}

function causeText(cause: "start" | "gap", count: number): string {
  const what = cause === "start" ? "server started" : "changes were lost";
  return count === 0 ? what : `${what}; since the moment before:`;
}

function shownChange(change: LoggedChange): ShownChange {
  const { before, object, source, reference, author, revision } = change;
  const operation = before === undefined ? "added" : object === undefined ? "removed" : "updated";
  const more = { ...(author !== undefined && { author }), ...(revision !== undefined && { revision }) };
  return { operation, object: objectName(change), source, reference, ...more };
}

/** In UTC, so that people in two places mean the same. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}
