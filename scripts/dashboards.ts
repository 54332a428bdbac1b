/** Writes the dashboards of `deploy/grafana` from the tables in `scripts/dashboards`. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { boards } from "./dashboards/boards.ts";
import { renderBoard } from "./dashboards/render.ts";

const folder = resolve(import.meta.dirname, "../deploy/grafana");
for (const board of boards) writeFileSync(`${folder}/${board.uid}.json`, renderBoard(board));
