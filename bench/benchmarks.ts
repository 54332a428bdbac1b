import { existsSync } from "node:fs";
import { join } from "node:path";
import { istioData } from "../src/testing/shared-data.ts";
import { measuredApart } from "./measured-apart.ts";
import { table } from "./table.ts";

/** What one type of one case costs one proxy. */
export interface TypeFigures {
  readonly type: string;
  /** The first time, from a mesh that is read: in milliseconds of the processor. */
  readonly coldMs: number;
  /** When the machine has warmed up. */
  readonly warmMs: number;
  readonly resources: number;
  readonly kilobytes: number;
}

/** With as many services as Istio's own benchmarks have. */
const cases = [
  { name: "empty", services: 100 },
  { name: "http", services: 100 },
  { name: "tcp", services: 100 },
  { name: "auto", services: 100 },
  { name: "virtualservice", services: 100 },
  { name: "gateways", services: 1_000 },
];

/** Each of Istio's benchmark cases for one proxy: what it takes to generate everything, type by type. */
export function benchmarks(): string {
  const folder = join(istioData, "benchmarks");
  if (!existsSync(folder)) return `There is no ${folder}.`;
  const rows = cases.flatMap(({ name, services }) =>
    measured(name, services).map((figures) => [name, String(services), ...cellsOf(figures)]),
  );
  return table(["case", "services", "type", "first", "warm", "resources", "bytes"], rows);
}

function measured(name: string, services: number): readonly TypeFigures[] {
  return measuredApart("benchmarks-run.ts", [name, String(services)]) as readonly TypeFigures[];
}

function cellsOf({ type, coldMs, warmMs, resources, kilobytes }: TypeFigures): readonly string[] {
  return [type, `${coldMs.toFixed(1)} ms`, `${warmMs.toFixed(2)} ms`, String(resources), `${kilobytes.toFixed(0)} kB`];
}
