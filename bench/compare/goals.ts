import type { MemoryFigures } from "./stages.ts";

/** One run of the whole table. */
export interface TableRun {
  readonly workload: string;
  readonly proxies: number;
  readonly mode: "sotw" | "delta";
  /** Whether there are peers that serve what one proxy got: only where all proxies get the same. */
  readonly isReplayed: boolean;
}

/** The largest value that reaches a goal. `ofPeer` is a share of what the first peer needs. */
interface Goal {
  readonly seconds?: number;
  readonly cpuSeconds?: number;
  readonly kilobytes?: number;
  readonly megabytes?: number;
  readonly ofPeer?: number;
}

/** A row of the table: a stage or a memory figure of one run, and its goal. */
export interface TableRow {
  readonly name: string;
  readonly run: TableRun;
  readonly figure: string | { readonly memory: keyof MemoryFigures };
  readonly goal: Goal;
}

const many: TableRun = { workload: "W1", proxies: 2_000, mode: "sotw", isReplayed: true };
const half: TableRun = { ...many, proxies: 1_000 };
const delta: TableRun = { ...half, mode: "delta" };
const scoped: TableRun = { workload: "W2", proxies: 1_000, mode: "delta", isReplayed: false };
const routers: TableRun = { workload: "W3", proxies: 20, mode: "delta", isReplayed: false };
const endpoints: TableRun = { workload: "W4", proxies: 200, mode: "sotw", isReplayed: false };

/** In the order in which they run. */
export const tableRuns: readonly TableRun[] = [many, half, delta, scoped, routers, endpoints];

const [endpointEdit, routeEdit] = ["endpoint edit", "VirtualService edit"];
const [ruleEdit, newService] = ["DestinationRule edit", "new service"];

export const tableRows: readonly TableRow[] = [
  row("W1, start", half, "start", { seconds: 0.7 }),
  row("W1, memory without proxies", half, { memory: "alone" }, { megabytes: 120 }),
  row("W1, memory with 1 000 SotW", half, { memory: "withProxies" }, { megabytes: 200 }),
  row("W1, memory with 2 000 SotW", many, { memory: "withProxies" }, { megabytes: 300 }),
  row("W1, memory with 2 000 SotW after the edits", many, { memory: "afterEdits" }, { megabytes: 300 }),
  row("W1, most memory with 2 000 SotW", many, { memory: "peak" }, {}),
  row("W1, first sync of 2 000 SotW", many, "first sync", { seconds: 5, cpuSeconds: 4 }),
  row("W1, endpoint edit, 2 000 SotW", many, endpointEdit, { seconds: 0.25, cpuSeconds: 0.3 }),
  row("W1, VirtualService edit, 2 000 SotW", many, routeEdit, { seconds: 1.1, cpuSeconds: 0.6 }),
  row("W1, DestinationRule edit, 2 000 SotW", many, ruleEdit, { seconds: 1.9, cpuSeconds: 1 }),
  row("W1, new service, 2 000 SotW", many, newService, { seconds: 3, cpuSeconds: 1.5 }),
  row("W1, endpoint edit, 1 000 SotW", half, endpointEdit, { seconds: 0.13, cpuSeconds: 0.15 }),
  row("W1, endpoint edit, 1 000 delta", delta, endpointEdit, { seconds: 0.1, cpuSeconds: 0.15 }),
  row("W1, VirtualService edit, 1 000 delta", delta, routeEdit, { seconds: 0.15, kilobytes: 2 }),
  row("W1, DestinationRule edit, 1 000 delta", delta, ruleEdit, { seconds: 0.15, cpuSeconds: 0.15 }),
  row("W1, new service, 1 000 delta", delta, newService, { seconds: 0.2, kilobytes: 5 }),
  row("W1, 1 000 delta reconnect", delta, "reconnect", { seconds: 2.5, cpuSeconds: 1.5 }),
  row("W2, endpoint edit, 1 000 delta", scoped, endpointEdit, { seconds: 0.1 }),
  row("W2, VirtualService edit, 1 000 delta", scoped, routeEdit, { seconds: 0.1 }),
  row("W2, DestinationRule edit, 1 000 delta", scoped, ruleEdit, { seconds: 0.1 }),
  row("W2, new service, 1 000 delta", scoped, newService, { seconds: 0.1 }),
  row("W3, VirtualService edit, 20 routers, delta", routers, routeEdit, { ofPeer: 0.1 }),
  row("W4, start", endpoints, "start", { seconds: 3 }),
  row("W4, first sync of 200 SotW", endpoints, "first sync", {}),
  row("W4, memory with 200 SotW", endpoints, { memory: "withProxies" }, { ofPeer: 0.1 }),
];

function row(name: string, run: TableRun, figure: TableRow["figure"], goal: Goal): TableRow {
  return { name, run, figure, goal };
}

/** Names a run among those of the table. */
export function runId({ workload, proxies, mode }: Omit<TableRun, "isReplayed">): string {
  return `${workload} ${proxies} ${mode}`;
}
