import { box, picture, text, type Tone, widthOf } from "../../site/picture/svg.ts";

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Grid {
  readonly title: string;
  readonly columns: readonly string[];
  /** Draws the names of many columns from bottom to top. */
  readonly upright?: boolean;
  readonly rows: readonly { readonly name: string; readonly cells: readonly (Cell | undefined)[] }[];
}

const rowHeight = 30;

/** Rows with names at the left, and a box for each cell that is there. */
export function drawGrid({ title, columns, upright = false, rows }: Grid): string {
  const left = widest(rows.map(({ name }) => name)) + 24;
  const texts = rows.flatMap(({ cells }) => cells.map((cell) => cell?.text ?? ""));
  const cellWidth = upright ? 32 : widest([...columns, ...texts]) + 20;
  const top = upright ? widest(columns) + 12 : 32;
  const middle = (column: number) => left + (column + 0.5) * cellWidth;
  const heads = columns.map((name, index) => {
    if (!upright) return text(middle(index), 20, name, { anchor: "middle", bold: true });
    return `<g transform="translate(${middle(index) + 4},${top - 6}) rotate(-90)">${text(0, 0, name, { bold: true })}</g>`;
  });
  const lines = rows.flatMap(({ name, cells }, row) => {
    const y = top + row * rowHeight;
    const boxes = cells.flatMap((cell, column) => {
      if (cell === undefined) return [];
      const place = { x: left + column * cellWidth + 3, y: y + 3, width: cellWidth - 6, height: rowHeight - 6 };
      return [
        box({ ...place, tone: cell.tone ?? "accent" }),
        text(middle(column), y + 19.5, cell.text, { anchor: "middle" }),
      ];
    });
    return [text(left - 12, y + 19.5, name, { anchor: "end" }), ...boxes];
  });
  const width = left + columns.length * cellWidth + 8;
  return picture({ width, height: top + 8 + rows.length * rowHeight, title }, [...heads, ...lines]);
}

function widest(names: readonly string[]): number {
  return names.reduce((most, name) => Math.max(most, widthOf(name)), 0);
}
