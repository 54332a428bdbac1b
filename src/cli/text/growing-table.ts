import { cutText } from "../../lib/cut-text.ts";
import { largest } from "../../lib/extremes.ts";

/** Longer cells are cut: one of them would push the other columns of every row out of sight. */
const maxCellLength = 300;

/**
 * A table whose rows come one after the other. A column gets wider with a longer cell, and never narrower. The head is
 * printed first, and again when it changes.
 */
export class GrowingTable {
  #head: readonly string[] = [];
  #widths: readonly number[] = [];

  /** The lines to print for these rows. */
  add(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
    const isNew = head.join("\0") !== this.#head.join("\0");
    if (isNew) {
      this.#head = head;
      this.#widths = head.map(({ length }) => length);
    }
    const cut = rows.map((cells) => cells.map((cell) => cutText(cell, maxCellLength)));
    this.#widths = this.#widths.map((width, column) =>
      Math.max(width, largest(cut.map((cells) => cells[column]?.length ?? 0))),
    );
    return (isNew ? [head, ...cut] : cut).map((cells) => this.#line(cells));
  }

  #line(cells: readonly string[]): string {
    return cells
      .map((cell, column) => cell.padEnd(this.#widths[column] ?? 0))
      .join("   ")
      .trimEnd();
  }
}
