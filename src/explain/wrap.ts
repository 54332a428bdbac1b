/** Terminals are at least this wide. */
const columns = 80;

/** The text in lines of 80 columns, each begun with `prefix`; lines after the first are set in by two. */
export function wrap(text: string, prefix: string): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && prefix.length + longer.length > columns) {
      lines.push(line);
      line = `  ${word}`;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((one) => `${prefix}${one}`);
}
