import type { Slice } from "../yaml/split.ts";
import { readDocument } from "../yaml/yaml.ts";

const listKind = /^kind:[ \t]*(?<quote>["']?)List\k<quote>[ \t]*(?:#.*)?\r?$/mu;
const itemsLine = /^items:[ \t]*(?:#.*)?\r?$/u;
const topLevelKey = /^[A-Za-z]\w*:/u;
const content = /^[ \t]*[^\s#]/mu;
/** An anchor may be used by another item, and a directive may change what any of them means. */
const sharedByItems = /(?:^|[\s[{,])&\S|^%/mu;

/** The lines of the items within a list, from the first up to the one behind the last. */
interface Items {
  readonly from: number;
  readonly to: number;
  /** That of the dashes. */
  readonly column: number;
}

/**
 * Cuts a `List` written as `kubectl get -o yaml` does, dash by dash, so that a broken item cannot swallow its
 * neighbours. Exact for the same reason as cutting a file into documents: no scalar and no flow collection within an
 * item may go on at the column of its dash. Undefined for what is no such list, or has to be read as a whole.
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

/** Undefined where something else than fields of the list stands around the items. */
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

/** Whether there is nothing to say about the list itself. */
function isSound(lines: readonly string[], { from, to }: Items): boolean {
  const text = [...lines.slice(0, from), ...lines.slice(to)].join("\n");
  return readDocument({ text, line: 1 }, "")?.issues.length === 0;
}

/** With a blank for the dash, which leaves every column as it was. Lines count from 0 here. */
function sliceItems(lines: readonly string[], { from, to, column }: Items): readonly Slice[] {
  const starts = lines.flatMap((line, at) => (from <= at && at < to && isDash(line, column) ? at : []));
  return starts.map((start, index) => {
    const [first = "", ...more] = lines.slice(start, starts[index + 1] ?? to);
    const undashed = `${first.slice(0, column)} ${first.slice(column + 1)}`;
    return { text: [undashed, ...more, ""].join("\n"), line: start };
  });
}

function endsItems(line: string, column: number): boolean {
  return indentOf(line) <= column && content.test(line) && !isDash(line, column);
}

/** A tab indents nothing in YAML; the item in which it stands is told so. */
function indentOf(line: string): number {
  if (line.startsWith("\t")) return Infinity;
  let indent = 0;
  while (line[indent] === " ") indent += 1;
  return indent;
}

function isDash(line: string, column: number): boolean {
  return line[column] === "-" && indentOf(line) === column && /^\s|^$/u.test(line.slice(column + 1));
}
