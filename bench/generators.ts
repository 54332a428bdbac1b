import { benchTable } from "./bench-table.ts";
import { measuredApart } from "./measured-apart.ts";

/** The cost of a change of one VirtualService for a sidecar and a router together, in milliseconds of CPU time. */
export interface ChangeFigures {
  readonly services: number;
  /** Parsing the mesh, and generating everything for both proxies, from scratch. */
  readonly firstMs: number;
  readonly changeMs: number;
  /** Messages encoded for the change. */
  readonly encodings: number;
}

const sizes = [100, 1_000, 10_000];

/** One changed VirtualService among ever more services, whose number should not matter. */
export function generators(): string {
  return benchTable(
    ["services", "first", "one change", "encodings"],
    sizes.map((size) => row(measured(size))),
  );
}

function measured(services: number): ChangeFigures {
  return measuredApart("generators-run.ts", [String(services)]) as ChangeFigures;
}

function row({ services, firstMs, changeMs, encodings }: ChangeFigures): readonly string[] {
  return [String(services), `${firstMs.toFixed(0)} ms`, `${changeMs.toFixed(2)} ms`, String(encodings)];
}
