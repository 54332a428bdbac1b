import type { Gateway, Server } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { Config, Labels } from "../../../config.ts";
import { gateway } from "../../../kinds/gateway.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { askedWildcards, HostIndex } from "../../facts/host-index.ts";
import type { LabelIndex } from "../../facts/label-index.ts";
import { selectorText } from "../../facts/label-selectors.ts";
import { listedGroups, listedTexts } from "../../facts/listed-names.ts";
import { type SelectableWorkload, workloadKinds, workloads } from "../../facts/selectable-workloads.ts";
import { messages } from "../../messages.ts";

export const conflictingGatewayAnalyzer: Analyzer = {
  name: "gateway.ConflictingGatewayAnalyzer",
  description: "Gateways that serve the same hosts on the same port of the same workloads",
  inputs: [gateway, ...workloadKinds],
  analyze(context) {
    const all = context.all(gateway);
    const sharing = sharingSelectors(
      all.map(({ spec }) => spec.selector),
      workloads(context),
    );
    for (const rivals of Map.groupBy(all.flatMap(serversOf), listenerOf).values()) {
      reportConflicts(rivals, sharing, context);
    }
  },
};

/** The gateway selectors that share a workload with a selector, including itself. */
type Sharing = (selector: string) => readonly string[];

function reportConflicts(servers: readonly PlacedServer[], sharing: Sharing, context: AnalysisContext): void {
  const indexes = indexHosts(servers);
  for (const own of servers) {
    const selectors = sharing(own.selector);
    const rivals = own.hosts.flatMap(({ namespace, host }) => {
      const seen = selectors.flatMap((selector) => scopesSeenFrom(namespace).map((scope) => scopeKey(selector, scope)));
      const groups = seen.flatMap((key) => indexes.get(key)?.groups(host) ?? []);
      return groups.filter((group) => group.some((config) => config !== own.config));
    });
    if (rivals.length === 0) continue;
    context.report(messages.conflictingGateways, own, {
      gateways: listedGroups([[own.config], ...new Set(rivals)]),
      hosts: listedTexts(own.server.hosts),
      port: own.server.port?.number ?? 0,
      selector: own.selector,
    });
  }
}

/** The gateways of a listener by host, with one index per selector and per namespace of the hosts. */
function indexHosts(servers: readonly PlacedServer[]): ReadonlyMap<string, HostIndex<Config>> {
  const asked = askedWildcards(servers.flatMap(({ hosts }) => hosts.map(({ host }) => host)));
  const indexes = new Map<string, HostIndex<Config>>();
  for (const { config, selector, hosts } of servers) {
    for (const { namespace, host } of hosts) {
      for (const scope of [allScopes, namespace]) {
        const key = scopeKey(selector, scope);
        const index = indexes.get(key) ?? new HostIndex<Config>(asked);
        indexes.set(key, index);
        index.add(host, config);
      }
    }
  }
  return indexes;
}

interface PlacedServer {
  readonly config: Config<Gateway>;
  readonly server: Server;
  readonly path: string;
  readonly selector: string;
  readonly hosts: readonly PlacedHost[];
}

/** `namespace/host` applies only to VirtualServices of that namespace. `.` is the gateway's own namespace. */
interface PlacedHost {
  readonly namespace: string;
  readonly host: string;
}

/** The scope of hosts for every namespace. */
const anyNamespace = "*";
/** The scope of all namespaces together. No namespace has this name. */
const allScopes = "";

/** One VirtualService can match both hosts if they have the same namespace, or if one is for every namespace. */
function scopesSeenFrom(namespace: string): readonly string[] {
  return namespace === anyNamespace ? [allScopes] : [anyNamespace, namespace];
}

function scopeKey(selector: string, scope: string): string {
  return JSON.stringify([selector, scope]);
}

function serversOf(config: Config<Gateway>): readonly PlacedServer[] {
  const selector = selectorText(config.spec.selector);
  return config.spec.servers.map((server, index) => {
    const hosts = server.hosts.map((text) => placedHost(text, config.namespace));
    return { config, server, path: `spec.servers[${index}].hosts`, selector, hosts };
  });
}

function placedHost(text: string, own: string): PlacedHost {
  const slash = text.indexOf("/");
  if (slash === -1) return { namespace: anyNamespace, host: text };
  const namespace = text.slice(0, slash);
  return { namespace: namespace === "." ? own : namespace, host: text.slice(slash + 1) };
}

function listenerOf({ server }: PlacedServer): string {
  return JSON.stringify([server.port?.number, server.bind]);
}

/** Largest number of selectors compared, for selectors that share workloads with hundreds of others. */
const maxSharing = 100;

/**
 * For a selector text, finds the selectors that select one of the same workloads, including itself. If no workload is
 * known yet, gateways with equal selectors count as sharing one.
 */
function sharingSelectors(
  selectors: readonly Labels[],
  candidates: LabelIndex<SelectableWorkload>,
): (selector: string) => readonly string[] {
  const selected = new Map(selectors.map((each) => [selectorText(each), candidates.select(each)]));
  const byWorkload = new Map<SelectableWorkload, string[]>();
  for (const [text, all] of selected) {
    for (const workload of all) {
      const known = byWorkload.get(workload);
      if (known === undefined) byWorkload.set(workload, [text]);
      else if (known.length < maxSharing) known.push(text);
    }
  }
  const sharing = new Map<string, readonly string[]>();
  for (const [text, all] of selected) {
    const found = new Set([text]);
    for (const workload of all) {
      if (found.size >= maxSharing) break;
      for (const other of byWorkload.get(workload) ?? []) found.add(other);
    }
    sharing.set(text, [...found]);
  }
  return (selector) => sharing.get(selector) ?? [];
}
