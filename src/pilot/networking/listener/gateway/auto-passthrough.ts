import { hostnameCovers, isWildcard } from "../../../../config/grammar/hostname.ts";
import { hostsFor } from "../../../model/gateway/gateway.ts";
import type { MergedServer } from "../../../model/gateway/merged-gateway.ts";
import { routerScopeFor } from "../../../model/scope/router-scope.ts";
import type { Service } from "../../../model/service/service.ts";
import { ruleFor } from "../../../model/traffic/rule-for.ts";
import { sniName } from "../../cluster/cluster-name.ts";
import { matchAll } from "../chain-match.ts";
import type { GatewayChain, GatewayContext } from "./gateway-chain.ts";

/** ALPN values of mesh mTLS clients; other clients are not passed through. */
const meshProtocols = ["istio", "istio-peer-exchange", "istio-http/1.0", "istio-http/1.1", "istio-h2"];

/**
 * Mesh mTLS connections go to the cluster in their SNI. There is one chain for each port and subset of every service
 * that matches a host of the server.
 */
export function autoPassthroughChains(merged: MergedServer, context: GatewayContext): readonly GatewayChain[] {
  const { services } = routerScopeFor(context.namespace, context.push);
  return (
    services
      // No SNI can have a wildcard in its middle.
      .filter((service) => !service.meshExternal && !isWildcard(service.hostname) && isServed(service, merged))
      .flatMap((service) => chainsTo(service, merged, context))
  );
}

function isServed({ hostname, namespace }: Service, { server }: MergedServer): boolean {
  return hostsFor(namespace, server).some((host) => hostnameCovers(host, hostname));
}

function chainsTo(service: Service, { gateway, server }: MergedServer, { namespace, push }: GatewayContext) {
  const rule = ruleFor(service, namespace, push);
  const subsets = ["", ...(rule?.subsets ?? []).map(({ name }) => name)];
  const ports = service.ports.filter(({ protocol }) => protocol !== "UDP");
  const names = ports.flatMap(({ number }) => subsets.map((subset) => sniName(number, subset, service.hostname)));
  return names.map((name): GatewayChain => {
    return {
      match: { ...matchAll, serverNames: [name], applicationProtocols: meshProtocols },
      inspectsTls: true,
      tls: undefined,
      protocol: server.protocol,
      action: { type: "tcp", target: { statPrefix: name, clusters: name, rule } },
      source: service,
      owner: gateway.owner,
      owners: [service.owner, ...(rule?.owners ?? [])],
    };
  });
}
