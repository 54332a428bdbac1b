import { cutText } from "../../lib/cut-text.ts";
import { largest } from "../../lib/extremes.ts";

/** Longer cells are cut: one of them would push the other columns of every row out of sight. */
const maxCellLength = 300;

/** Columns as wide as their content, three spaces apart, without spaces at the end of a line. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((cells) => cells.map((cell) => cutText(cell, maxCellLength)))];
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
