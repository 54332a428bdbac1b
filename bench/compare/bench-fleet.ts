import { setTimeout as pause } from "node:timers/promises";
import { fleetMembers } from "../../src/cli/nodes/fleet-members.ts";
import { Fleet, type FleetOptions } from "../../src/fleet/fleet.ts";
import type { StreamMode } from "../../src/fleet/response.ts";
import { routerLabels, type Workload } from "./workloads.ts";

/** A fleet is quiet when nothing has come for so long. */
export const quietMs = 1_500;
/** A stage that takes longer has failed. */
const mostMs = 300_000;

export interface FleetSize {
  readonly proxies: number;
  readonly mode: StreamMode;
}

/** The proxies of a workload. They do not connect before `start`. */
export function benchFleet(
  { proxies: kind, namespaces }: Workload,
  { proxies, mode }: FleetSize,
  { xdsPort: port, onApplied }: { readonly xdsPort: number } & Pick<FleetOptions, "onApplied">,
): Fleet {
  const members = fleetMembers({
    proxies,
    shares: {
      routers: kind === "routers" ? 1 : 0,
      grpc: 0,
      delta: mode === "delta" ? 1 : 0,
      slow: 0,
      nack: 0,
      reconnect: 0,
    },
    namespaces,
    routerLabels,
    targets: [],
    reconnectEveryMs: 1000,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
  const address = { host: "127.0.0.1", port };
  return new Fleet({ address, members, perSecond: undefined, ...(onApplied && { onApplied }) });
}

/** Acts, and waits until every proxy is in sync and the fleet has become quiet. Returns the time of the last response. */
export async function settledAfter(fleet: Fleet, act: () => void): Promise<number> {
  const startedAt = performance.now();
  act();
  for (;;) {
    await pause(quietMs / 10);
    const { inSync, proxies } = fleet.report;
    const quiet = performance.now() - fleet.lastResponseAt > quietMs;
    if (inSync === proxies && fleet.lastResponseAt > startedAt && quiet) return fleet.lastResponseAt - startedAt;
    if (performance.now() - startedAt > mostMs) throw new Error(`only ${inSync} of ${proxies} proxies are in sync`);
  }
}
