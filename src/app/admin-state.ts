import type { AdminState } from "../admin/state.ts";
import type { Graph } from "../collection/graph.ts";
import type { Processor } from "../galley/processor/processor.ts";
import type { Environment } from "../pilot/registry/environment.ts";
import type { DiscoveryServer } from "../pilot/xds/discovery-server.ts";
import type { Listeners } from "./listeners.ts";
import type { LocalLink } from "./local-link.ts";

export interface AdminParts {
  readonly galley: Graph;
  readonly pilot: Graph;
  readonly processor: Processor;
  readonly environment: Environment;
  readonly link: LocalLink;
  readonly discovery: DiscoveryServer;
  readonly listeners: Listeners;
}

export function adminStateOf(parts: AdminParts): AdminState {
  const { galley, pilot, processor, environment, discovery, listeners } = parts;
  return {
    awaited: () => awaitedBy(parts),
    addresses: () => listeners.addresses,
    connections: () => discovery.connections,
    configs: processor.outputs,
    sourceHealth: () => processor.health(),
    issues: () => processor.issues.values(),
    clashes: () => processor.clashes(),
    problems: () => [...galley.problems, ...pilot.problems],
    generatorProblems: () => discovery.catalogue.problems,
    originOf: (id) => environment.originOf(id),
  };
}

/** What stands between now and the first proxy, first things first. */
function awaitedBy({ processor, link, discovery, listeners }: AdminParts): readonly string[] {
  const syncing = processor.health().filter(({ state }) => state !== "synced");
  if (syncing.length > 0) return syncing.map(({ name }) => `source ${name}`);
  if (link.awaited.size > 0) return Array.from(link.awaited, (group) => `snapshot ${group}`);
  if (!discovery.ready) return ["first push"];
  return listeners.addresses.xds === "" ? ["xds listener"] : [];
}
