import { type BlamedLine, blameLines } from "../../history/blame.ts";
import type { History, Position } from "../../history/history.ts";
import { yamlOf } from "../../history/object-lines.ts";
import { textTable } from "../text/text-table.ts";
import { timeText } from "./list-moments.ts";

/** A line of an object, and the change that wrote it. */
export interface ShownLine {
  readonly moment: number;
  readonly at: string;
  readonly author?: string;
  readonly reference: string;
  readonly text: string;
}

/** The lines of an object, each with the change that wrote it. Empty for an object that was not in force. */
export async function blameObject(history: History, place: string, position: Position): Promise<readonly ShownLine[]> {
  const versions = await history.versionsOf(place, position);
  const byMoment = new Map(versions.map(({ entry }) => [entry.since.number, entry]));
  const dated = versions.flatMap(({ entry, object }) =>
    object === undefined ? [] : [{ lines: yamlOf(object).trimEnd().split("\n"), since: entry.since }],
  );
  return blameLines(dated).map(({ text, since }: BlamedLine) => {
    const { author, reference = "" } = byMoment.get(since.number) ?? {};
    return { moment: since.number, at: timeText(since.at), ...(author !== undefined && { author }), reference, text };
  });
}

export function blameText(lines: readonly ShownLine[], form: "text" | "wide"): string {
  const isWide = form === "wide";
  const rows = lines.map(({ moment, at, author = "", reference, text }) => [
    String(moment),
    at,
    ...(isWide ? [author, reference] : []),
    text,
  ]);
  return textTable(["MOMENT", "TIME", ...(isWide ? ["AUTHOR", "FROM"] : []), "LINE"], rows);
}
