import type { Gateway, Server } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { Config } from "../../../config.ts";
import { gateway } from "../../../kinds/gateway.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { HostIndex } from "../../facts/host-index.ts";
import { selectorText } from "../../facts/labels.ts";
import { listed } from "../../facts/names.ts";
import { type Workload, workloadKinds, workloads } from "../../facts/workloads.ts";
import { messages } from "../../messages.ts";

export const conflictingGateway: Analyzer = {
  name: "gateway.ConflictingGatewayAnalyzer",
  description: "Gateways that serve the same hosts on the same port of the same workloads",
  inputs: [gateway, ...workloadKinds],
  analyze(context) {
    const candidates = workloads(context);
    const servers = context.all(gateway).flatMap((config) => {
      return serversOf(config, new Set(candidates.select(config.spec.selector)));
    });
    for (const rivals of Map.groupBy(servers, listenerOf).values()) reportConflicts(rivals, context);
  },
};

function reportConflicts(servers: readonly PlacedServer[], context: AnalysisContext): void {
  const index = new HostIndex<PlacedHost>();
  for (const each of servers.flatMap(({ hosts }) => hosts)) index.add(each.host, each);
  for (const own of servers) {
    const rivals = own.hosts.flatMap((each) =>
      index
        .overlapping(each.host)
        .filter((other) => clash(each, other))
        .toArray(),
    );
    if (rivals.length === 0) continue;
    context.report(messages.conflictingGateways, own, {
      gateways: listed([own.config, ...rivals.map(({ server }) => server.config)]),
      hosts: own.server.hosts.join(", "),
      port: own.server.port?.number ?? 0,
      selector: own.selector,
    });
  }
}

interface PlacedServer {
  readonly config: Config<Gateway>;
  readonly server: Server;
  readonly path: string;
  readonly selector: string;
  readonly selected: ReadonlySet<Workload>;
  readonly hosts: readonly PlacedHost[];
}

/** `namespace/host` is for the VirtualServices of that namespace alone; `.` is the gateway's own. */
interface PlacedHost {
  readonly server: PlacedServer;
  readonly namespace: string;
  readonly host: string;
}

function serversOf(config: Config<Gateway>, selected: ReadonlySet<Workload>): readonly PlacedServer[] {
  const selector = selectorText(config.spec.selector);
  return config.spec.servers.map((server, index) => {
    const hosts: PlacedHost[] = [];
    const placed = { config, server, path: `spec.servers[${index}].hosts`, selector, selected, hosts };
    for (const text of server.hosts) hosts.push(placedHost(text, placed));
    return placed;
  });
}

function placedHost(text: string, server: PlacedServer): PlacedHost {
  const slash = text.indexOf("/");
  if (slash === -1) return { server, namespace: "*", host: text };
  const namespace = text.slice(0, slash);
  return { server, namespace: namespace === "." ? server.config.namespace : namespace, host: text.slice(slash + 1) };
}

function listenerOf({ server }: PlacedServer): string {
  return JSON.stringify([server.port?.number, server.bind]);
}

/** Of two hosts that overlap: whether some VirtualService could be for both, on one workload. */
function clash(a: PlacedHost, b: PlacedHost): boolean {
  const meet = a.namespace === "*" || b.namespace === "*" || a.namespace === b.namespace;
  return meet && a.server.config !== b.server.config && shareWorkload(a.server, b.server);
}

/** Where no workload is known yet, those with equal selectors will share one. */
function shareWorkload(a: PlacedServer, b: PlacedServer): boolean {
  return a.selector === b.selector || !a.selected.isDisjointFrom(b.selected);
}
