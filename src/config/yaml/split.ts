/** A part of a file that holds one YAML document, markers and directives included. */
export interface Slice {
  readonly text: string;
  /** The line of the file on which the slice starts, counted from 1. */
  readonly line: number;
}

const documentStart = /^---(?=[ \t\r\n]|$)/u;
const documentEnd = /^\.\.\.(?=[ \t\r\n]|$)/u;
const withoutContent = /^(?:[ \t]*(?:#.*)?|%.*)\r?\n?$/u;

/**
 * Splits a file into documents, so that a broken one does not affect others as in a stream parser. Splitting by lines
 * is exact. YAML forbids a line that starts with a marker inside any scalar or flow collection (YAML 1.2.2,
 * c-forbidden). A `---` within a block scalar is indented, so it is never a marker.
 */
export function* splitDocuments(file: string): Generator<Slice> {
  const text = withoutByteOrderMarks(file);
  let start = 0;
  let startLine = 1;
  // Comments and directives before a marker belong to the document that the marker opens.
  let blank = true;
  let line = 1;
  for (const [offset, content] of linesOf(text)) {
    if (!blank && documentStart.test(content)) {
      yield { text: text.slice(start, offset), line: startLine };
      [start, startLine, blank] = [offset, line, true];
    }
    if (blank && !withoutContent.test(content)) blank = false;
    line += 1;
    if (!documentEnd.test(content)) continue;
    const end = offset + content.length;
    if (!blank) yield { text: text.slice(start, end), line: startLine };
    [start, startLine, blank] = [end, line, true];
  }
  if (!blank) yield { text: text.slice(start), line: startLine };
}

/** Windows editors write one at the start of a file. Joined files have them in the middle. */
function withoutByteOrderMarks(text: string): string {
  return text.includes("\uFEFF") ? text.replaceAll(/^\uFEFF/gmu, "") : text;
}

/** Lines with their line breaks and start offsets. */
function* linesOf(text: string): Iterable<readonly [offset: number, line: string]> {
  let offset = 0;
  while (offset < text.length) {
    const lineBreak = text.indexOf("\n", offset);
    const end = lineBreak === -1 ? text.length : lineBreak + 1;
    yield [offset, text.slice(offset, end)];
    offset = end;
  }
}
