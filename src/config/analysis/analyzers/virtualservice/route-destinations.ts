import type { VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { type Config, configKey } from "../../../config.ts";
import { meshGateway } from "../../../grammar/gateway-reference.ts";
import { fullHostname, isWildcard } from "../../../grammar/hostname.ts";
import { destinationRule } from "../../../kinds/destination-rule.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { mirrorDestinations, type PlacedDestination, routeDestinations } from "../../facts/destinations.ts";
import { askedWildcards, HostIndex } from "../../facts/host-index.ts";
import { KnownServices, serviceKinds } from "../../facts/known-services.ts";
import { messages } from "../../messages.ts";

export const destinationHostAnalyzer: Analyzer = {
  name: "virtualservice.DestinationHostAnalyzer",
  description: "Virtual services that route to missing services or ports, or do not choose a port",
  inputs: [virtualService, ...serviceKinds],
  analyze(context) {
    const services = new KnownServices(context);
    const all = context.all(virtualService);
    const bySubset = Map.groupBy(
      all.flatMap((config) => hostsBySubset(config, context.domain)),
      ({ hostname }) => hostname,
    );
    for (const config of all) {
      const routes = routeDestinations(config.spec).map((placed) => ({ ...placed, what: "host" }));
      const mirrors = mirrorDestinations(config.spec).map((placed) => ({ ...placed, what: "mirror host" }));
      for (const placed of [...routes, ...mirrors]) checkDestination(placed, config, { services, context });
      checkSubsets(config, bySubset, context);
    }
  },
};

interface Judged extends PlacedDestination {
  readonly what: string;
}

interface Context {
  readonly services: KnownServices;
  readonly context: AnalysisContext;
}

function checkDestination(
  { destination, path, what }: Judged,
  config: Config<VirtualService>,
  { services, context }: Context,
): void {
  const { host, port } = destination;
  const { exportTo } = config.spec;
  const known = services.find(host, { namespace: config.namespace, exportTo });
  if (known === undefined) {
    context.report(messages.referencedResourceNotFound, { config, path: `${path}.host` }, { what, reference: host });
  } else if (port === undefined && known.ports.length > 1) {
    const parameters = { host, ports: known.ports.join(", ") };
    context.report(messages.destinationPortRequired, { config, path: `${path}.host` }, parameters);
  } else if (port !== undefined && !known.ports.includes(port.number)) {
    const parameters = { what: `${what}:port`, reference: `${host}:${port.number}` };
    context.report(messages.referencedResourceNotFound, { config, path: `${path}.port` }, parameters);
  }
}

interface HostBySubset {
  readonly config: Config;
  readonly hostname: string;
}

type BySubset = ReadonlyMap<string, readonly HostBySubset[]>;

/** The hosts that a VirtualService for sidecars splits by subsets. */
function hostsBySubset(config: Config<VirtualService>, domain: string): readonly HostBySubset[] {
  const { hosts, gateways, http } = config.spec;
  if (gateways.length > 0 && !gateways.includes(meshGateway)) return [];
  const own = new Set(hosts.map((host) => fullHostname(host, config.namespace, domain)));
  const split = http.flatMap(({ route }) => route.filter(({ destination }) => (destination?.subset ?? "") !== ""));
  const hostnames = split.map(({ destination }) => fullHostname(destination?.host ?? "", config.namespace, domain));
  return [...new Set(hostnames)].filter((name) => own.has(name)).map((hostname) => ({ config, hostname }));
}

/** Only the gateway's rules route traffic that enters through a gateway. Sidecar rules are not applied again. */
function checkSubsets(config: Config<VirtualService>, bySubset: BySubset, context: AnalysisContext): void {
  if (!config.spec.gateways.some((name) => name !== meshGateway)) return;
  for (const { destination, path } of routeDestinations({ ...config.spec, tcp: [], tls: [] })) {
    if (destination.subset !== "") continue;
    const hostname = fullHostname(destination.host, config.namespace, context.domain);
    const other = bySubset.get(hostname)?.find((each) => each.config !== config);
    if (other === undefined) continue;
    const about = { config, path: `${path}.host` };
    context.report(messages.ingressRoutesNotAffected, about, { other: configKey(other.config) });
  }
}

export const destinationRuleAnalyzer: Analyzer = {
  name: "virtualservice.DestinationRuleAnalyzer",
  description: "Virtual services that route to subsets that no destination rule defines",
  inputs: [virtualService, destinationRule],
  analyze(context) {
    const defined = new Set<string>();
    const wildcards = new HostIndex<string>(askedWildcards([]));
    for (const { namespace, spec } of context.all(destinationRule)) {
      const hostname = fullHostname(spec.host, namespace, context.domain);
      if (isWildcard(hostname)) wildcards.add(hostname, hostname);
      for (const { name } of spec.subsets) defined.add(keyOf(hostname, name));
    }
    for (const config of context.all(virtualService)) {
      const placed = [...routeDestinations(config.spec), ...mirrorDestinations(config.spec)];
      for (const { destination, path } of placed) {
        const { host, subset } = destination;
        const hostname = fullHostname(host, config.namespace, context.domain);
        const hostnames = [hostname, ...wildcards.groups(hostname).flat()];
        if (subset === "" || hostnames.some((each) => defined.has(keyOf(each, subset)))) continue;
        const about = { config, path: `${path}.subset` };
        const parameters = { what: "host+subset in destinationrule", reference: `${host}+${subset}` };
        context.report(messages.referencedResourceNotFound, about, parameters);
      }
    }
  },
};

function keyOf(hostname: string, subset: string): string {
  return `${hostname} ${subset}`;
}
