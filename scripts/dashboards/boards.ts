import type { Board } from "./board.ts";
import { overview } from "./overview.ts";
import { pushes } from "./pushes.ts";
import { safety } from "./safety.ts";
import { sources } from "./sources.ts";

/** All dashboards of `deploy/grafana`. */
export const boards: readonly Board[] = [overview, pushes, sources, safety];
