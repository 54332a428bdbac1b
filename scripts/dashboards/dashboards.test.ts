import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { boards } from "./boards.ts";
import { renderBoard } from "./render.ts";

const folder = resolve(import.meta.dirname, "../../deploy/grafana");

interface Placed {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

function cellsOf({ gridPos: { x, y, w, h } }: Placed): readonly string[] {
  return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`);
}

test("the folder has the dashboards of the tables, and no others", () => {
  expect(globSync("*", { cwd: folder }).toSorted()).toEqual(boards.map(({ uid }) => `${uid}.json`).toSorted());
});

describe.each(boards)("the dashboard $uid", (board) => {
  test("matches its table (npm run dashboards)", () => {
    expect(readFileSync(`${folder}/${board.uid}.json`, "utf8")).toBe(renderBoard(board));
  });

  test("places every panel on cells of its own, within the grid, under an id of its own", () => {
    const { panels } = JSON.parse(renderBoard(board)) as { readonly panels: readonly Placed[] };
    const cells = panels.flatMap(cellsOf);
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  test("says in whole sentences what each panel shows", () => {
    const panels = board.rows.flatMap((row) => row.panels);
    expect(panels.filter(({ about }) => !/^[\w].*\.$/u.test(about))).toEqual([]);
  });

  test("lets the reader select servers in every query", () => {
    const queries = board.rows.flatMap((row) => row.panels).flatMap((panel) => panel.queries);
    expect(queries.filter(({ expr }) => !expr.includes("{$"))).toEqual([]);
  });
});
