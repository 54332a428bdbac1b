/** Terminals are at least this wide. */
const columns = 80;

/** The text in lines of 80 columns. The first begins with `first`; the others with `rest`, and are set in by two. */
export function wrap(text: string, first: string, rest = first): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    const { length } = lines.length === 0 ? first : rest;
    if (line !== "" && length + longer.length > columns) {
      lines.push(line);
      line = `  ${word}`;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((one, index) => `${index === 0 ? first : rest}${one}`);
}
