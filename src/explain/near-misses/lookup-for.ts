import { blackHoleCluster, passthroughCluster } from "../../pilot/networking/cluster/cluster-name.ts";
import type { ClusterStep, Explanation } from "../explanation.ts";
import { requestHostname, type SimulatedRequest } from "../simulated-request.ts";
import type { Lookup } from "./near-miss.ts";

/** Clusters and virtual hosts for everything that nothing else is for. */
const catchAllClusters: ReadonlySet<string> = new Set([blackHoleCluster, passthroughCluster]);
const catchAllHosts: ReadonlySet<string> = new Set(["allow_any", "block_all"]);

/** The question that an explanation leaves open; undefined when the request found what it was meant for. */
export function lookupFor({ steps, outcome }: Explanation, request: SimulatedRequest): Lookup | undefined {
  if (request.direction === "inbound") return undefined;
  const reached = steps.filter((step): step is ClusterStep => step.type === "cluster");
  const { port, protocol = "http" } = request;
  const host = { hostname: requestHostname(request), port, http: protocol === "http" || protocol === "http2" };
  const caught = [
    ...reached.map(({ name }) => catchAllClusters.has(name)),
    ...steps.map(({ type, name }) => type === "virtual host" && catchAllHosts.has(name)),
  ];
  if (caught.includes(true)) return { host, clusters: [] };
  const failing = reached.filter(({ problem }) => problem !== undefined).map(({ name }) => name);
  if (failing.length > 0) return { clusters: failing };
  // A request that is passed on as bytes found a port that says it speaks something else.
  const unread = host.http && request.direction !== "gateway" && !steps.some(({ type }) => type === "route");
  const passedOn = outcome.type === "forwarded" && unread;
  return passedOn || (outcome.type === "refused" && reached.length === 0) ? { host, clusters: [] } : undefined;
}
