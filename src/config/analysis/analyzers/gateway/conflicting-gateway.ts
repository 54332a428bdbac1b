import type { Gateway, Server } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { Config } from "../../../config.ts";
import { hostnamesMatch } from "../../../hostname.ts";
import { gateway } from "../../../kinds/gateway.ts";
import type { Analyzer } from "../../analyzer.ts";
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
    for (const rivals of Map.groupBy(servers, listenerOf).values()) {
      for (const own of rivals) {
        const others = rivals.filter((other) => other.config !== own.config && meet(own, other) && overlap(own, other));
        if (others.length === 0) continue;
        context.report(messages.conflictingGateways, own, {
          gateways: listed([own, ...others].map(({ config }) => config)),
          hosts: own.server.hosts.join(", "),
          port: own.server.port?.number ?? 0,
          selector: own.selector,
        });
      }
    }
  },
};

interface PlacedServer {
  readonly config: Config<Gateway>;
  readonly server: Server;
  readonly path: string;
  readonly selector: string;
  readonly selected: ReadonlySet<Workload>;
}

function serversOf(config: Config<Gateway>, selected: ReadonlySet<Workload>): readonly PlacedServer[] {
  const selector = selectorText(config.spec.selector);
  return config.spec.servers.map((server, index) => {
    return { config, server, path: `spec.servers[${index}].hosts`, selector, selected };
  });
}

function listenerOf({ server }: PlacedServer): string {
  return JSON.stringify([server.port?.number, server.bind]);
}

/** Whether both are on one workload. Where none is known yet, those with equal selectors will be. */
function meet(a: PlacedServer, b: PlacedServer): boolean {
  return a.selector === b.selector || !a.selected.isDisjointFrom(b.selected);
}

function overlap(a: PlacedServer, b: PlacedServer): boolean {
  return a.server.hosts.some((host) => b.server.hosts.some((other) => hostsOverlap(split(host, a), split(other, b))));
}

interface ScopedHost {
  readonly namespace: string;
  readonly host: string;
}

/** `namespace/host` is for the VirtualServices of that namespace alone; `.` is the gateway's own. */
function split(text: string, { config }: PlacedServer): ScopedHost {
  const slash = text.indexOf("/");
  if (slash === -1) return { namespace: "*", host: text };
  const namespace = text.slice(0, slash);
  return { namespace: namespace === "." ? config.namespace : namespace, host: text.slice(slash + 1) };
}

function hostsOverlap(a: ScopedHost, b: ScopedHost): boolean {
  const meetThere = a.namespace === "*" || b.namespace === "*" || a.namespace === b.namespace;
  return meetThere && hostnamesMatch(a.host, b.host);
}
