import { existsSync } from "node:fs";
import { join } from "node:path";
import { istioData } from "../src/testing/shared-data.ts";
import { benchTable } from "./bench-table.ts";
import { measuredApart } from "./measured-apart.ts";

/** The cost of one type of one case for one proxy. */
export interface TypeFigures {
  readonly type: string;
  /** The first generation from a parsed mesh, in milliseconds of CPU time. */
  readonly coldMs: number;
  /** The generation after warm-up. */
  readonly warmMs: number;
  readonly resources: number;
  readonly kilobytes: number;
}

/** The same numbers of services as in Istio's own benchmarks. */
const cases = [
  { name: "empty", services: 100 },
  { name: "http", services: 100 },
  { name: "tcp", services: 100 },
  { name: "auto", services: 100 },
  { name: "virtualservice", services: 100 },
  { name: "gateways", services: 1_000 },
];

/** Each of Istio's benchmark cases for one proxy: the cost to generate everything, type by type. */
export function benchmarks(): string {
  const folder = join(istioData, "benchmarks");
  if (!existsSync(folder)) return `There is no ${folder}.`;
  const rows = cases.flatMap(({ name, services }) =>
    measured(name, services).map((figures) => [name, String(services), ...cellsOf(figures)]),
  );
  return benchTable(["case", "services", "type", "first", "warm", "resources", "bytes"], rows);
}

function measured(name: string, services: number): readonly TypeFigures[] {
  return measuredApart("benchmarks-run.ts", [name, String(services)]) as readonly TypeFigures[];
}

function cellsOf({ type, coldMs, warmMs, resources, kilobytes }: TypeFigures): readonly string[] {
  return [type, `${coldMs.toFixed(1)} ms`, `${warmMs.toFixed(2)} ms`, String(resources), `${kilobytes.toFixed(0)} kB`];
}
