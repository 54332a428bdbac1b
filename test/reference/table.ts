/** A table of Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((cells) => cells.map((cell) => cell.replaceAll("|", "\\|")));
  const lines = [head, head.map(() => "---"), ...escaped].map((cells) => `| ${cells.join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}
