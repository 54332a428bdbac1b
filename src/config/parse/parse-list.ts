import type { Slice } from "../yaml/split.ts";
import { readDocument } from "../yaml/yaml.ts";

const listKind = /^kind:[ \t]*(?<quote>["']?)List\k<quote>[ \t]*(?:#.*)?\r?$/mu;
const itemsLine = /^items:[ \t]*(?:#.*)?\r?$/u;
const topLevelKey = /^[A-Za-z]\w*:/u;
const content = /^[ \t]*[^\s#]/mu;
/** Another item may use an anchor, and a directive may change the meaning of any item. */
const sharedByItems = /(?:^|[\s[{,])&\S|^%/mu;

/** The lines of the items in a list: from the first item to the line after the last. */
interface Items {
  readonly from: number;
  readonly to: number;
  /** The column of the dashes. */
  readonly column: number;
}

/**
 * Splits a `List` in the format of `kubectl get -o yaml` at its dashes, so that a broken item does not affect others.
 * The split is exact, as for documents of a file. No scalar or flow collection of an item may continue at the column of
 * its dash. Undefined for other lists, and for lists that must be read as a whole.
 */
export function splitList(list: Slice): readonly Slice[] | undefined {
  if (!listKind.test(list.text) || sharedByItems.test(list.text)) return undefined;
  const lines = list.text.split("\n");
  const items = itemsIn(lines);
  if (items === undefined || !isSound(lines, items)) return undefined;
  const slices = sliceItems(lines, items);
  return slices.every(({ text }) => content.test(text))
    ? slices.map(({ text, line }) => ({ text, line: list.line + line }))
    : undefined;
}

/** Undefined if there is something else than fields of the list around the items. */
function itemsIn(lines: readonly string[]): Items | undefined {
  const from = 1 + lines.findIndex((line) => itemsLine.test(line));
  const first = lines.slice(from).find((line) => content.test(line));
  const column = indentOf(first ?? "");
  if (from === 0 || first === undefined || !isDash(first, column)) return undefined;
  const length = lines.slice(from).findIndex((line) => endsItems(line, column));
  if (length === -1) return { from, to: lines.length, column };
  const to = from + length;
  return topLevelKey.test(lines[to] ?? "") ? { from, to, column } : undefined;
}

/** Whether the list itself has no mistakes. */
function isSound(lines: readonly string[], { from, to }: Items): boolean {
  const text = [...lines.slice(0, from), ...lines.slice(to)].join("\n");
  return readDocument({ text, line: 1 }, "")?.issues.length === 0;
}

/** Replaces the dash with a blank, so that every column stays the same. Lines start at 0 here. */
function sliceItems(lines: readonly string[], { from, to, column }: Items): readonly Slice[] {
  const starts = lines.flatMap((line, at) => (from <= at && at < to && isDash(line, column) ? at : []));
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? to;
    const [first = "", ...more] = lines.slice(start, end);
    const undashed = `${first.slice(0, column)} ${first.slice(column + 1)}`;
    // The last line of the list may have no line break, and places must be within the file.
    const lineBreak = end < lines.length ? [""] : [];
    return { text: [undashed, ...more, ...lineBreak].join("\n"), line: start };
  });
}

function endsItems(line: string, column: number): boolean {
  return indentOf(line) <= column && content.test(line) && !isDash(line, column);
}

/** A tab does not indent in YAML. The item with the tab gets the issue. */
function indentOf(line: string): number {
  if (line.startsWith("\t")) return Infinity;
  let indent = 0;
  while (line[indent] === " ") indent += 1;
  return indent;
}

function isDash(line: string, column: number): boolean {
  return line[column] === "-" && indentOf(line) === column && /^\s|^$/u.test(line.slice(column + 1));
}
