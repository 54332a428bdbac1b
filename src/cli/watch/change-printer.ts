import { inNotation, isText } from "../flags/notation.ts";
import type { Terminal } from "../command.ts";
import { GrowingTable } from "../text/growing-table.ts";
import { type ItemChange, itemChanges, sameCells, sameObject, type WatchedItem } from "./item-changes.ts";

/** How a watch prints. `name` prints objects that are texts, for other commands. */
export type WatchNotation = "text" | "wide" | "json" | "yaml" | "name";

/** A state of everything that is watched. */
export interface WatchedState {
  /** The head of the table; absent if each item is a text of its own. */
  readonly head?: readonly string[];
  readonly items: readonly WatchedItem[];
}

export interface WatchedTable extends WatchedState {
  readonly head: readonly string[];
}

/** Prints states, one after the other: the first one whole, and then the changes. */
export class ChangePrinter {
  readonly #notation: WatchNotation;
  readonly #terminal: Pick<Terminal, "print" | "printData">;
  readonly #table = new GrowingTable();
  #shown: ReadonlyMap<string, WatchedItem> = new Map();

  constructor(notation: WatchNotation, terminal: Pick<Terminal, "print" | "printData">) {
    this.#notation = notation;
    this.#terminal = terminal;
  }

  show({ head, items }: WatchedState): void {
    const isForPeople = isText(this.#notation);
    const after = new Map(items.map((item) => [item.key, item]));
    const changes = itemChanges(this.#shown, after, isForPeople ? sameCells : sameObject);
    this.#shown = after;
    if (!isForPeople) for (const change of changes) this.#terminal.printData(this.#dataOf(change));
    else if (head === undefined) for (const { type, item } of changes) this.#terminal.print(textOf(type, item));
    else if (changes.length > 0) {
      const rows = changes.map(({ type, item }) => [type.padEnd(typeWidth), ...item.cells]);
      for (const line of this.#table.add(["EVENT", ...head], rows)) this.#terminal.print(line);
    }
  }

  /** JSON is one line, so that a program can read one document after the other. */
  #dataOf({ type, item }: ItemChange): string {
    const { object } = item;
    if (this.#notation === "name") return String(object);
    if (this.#notation === "yaml") return `---\n${inNotation({ type, object }, "yaml").trimEnd()}`;
    return JSON.stringify({ type, object });
  }
}

/** All kinds of changes have this width, so that later rows are below the first ones. */
const typeWidth = "MODIFIED".length;

/** A text of several lines has the type in front of the first one. */
function textOf(type: ItemChange["type"], { cells }: WatchedItem): string {
  return `${type.padEnd(typeWidth)}   ${cells.join(" ")}`;
}
