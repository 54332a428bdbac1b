import { measuredApart } from "./measured-apart.ts";
import { table } from "./table.ts";

/** What a change of one VirtualService costs a sidecar and a router together, in milliseconds of the processor. */
export interface ChangeFigures {
  readonly services: number;
  /** Reading the mesh, and all that both proxies get, from nothing. */
  readonly firstMs: number;
  readonly changeMs: number;
  /** Messages encoded for it. */
  readonly encodings: number;
}

const sizes = [100, 1_000, 10_000];

/** One changed VirtualService among ever more services, which it should not notice. */
export function generators(): string {
  return table(
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
