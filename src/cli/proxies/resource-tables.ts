import type { KnownConfig } from "../mesh/proxy-dump.ts";
import { clusterTable } from "./cluster-table.ts";
import { endpointTable } from "./endpoint-table.ts";
import { extensionTable } from "./extension-table.ts";
import { listenerTable } from "./listener-table.ts";
import { routeTable } from "./route-table.ts";

/** The types that have a table, in the order of `proxy-config all`. */
export const tabledTypes = ["cluster", "listener", "route", "endpoint", "ecds"] as const;
export type TabledType = (typeof tabledTypes)[number];

const tables: Readonly<Record<TabledType, (known: KnownConfig, form: "text" | "wide") => string>> = {
  cluster: clusterTable,
  listener: listenerTable,
  route: routeTable,
  endpoint: endpointTable,
  ecds: extensionTable,
};

/** A table per type. */
export function resourceTables(known: KnownConfig, types: readonly TabledType[], form: "text" | "wide"): string {
  return types.map((type) => tables[type](known, form)).join("\n\n");
}
