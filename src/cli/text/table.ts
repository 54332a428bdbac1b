import { largest } from "../../lib/extremes.ts";
/** Columns wide enough for what is in them, three spaces apart; nothing stands at the end of a line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => largest(all.map((cells) => (cells[column] ?? "").length)));
  return all
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}
