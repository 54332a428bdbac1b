/** A table in Markdown, its columns aligned for whoever reads it as text. */
export function benchTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => `${"-".repeat(width + 1)}:`).join("|")}|`;
  return [line(heading), rule, ...rows.map(line)].join("\n");
}
