import type { Labels } from "../../../config/config.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { keyOf, kindNameOf } from "../../model/config-id.ts";
import type { Conflict } from "../../model/conflict.ts";
import { serverClass } from "../../model/gateway/gateway.ts";
import type { MergedPort, MergedServer } from "../../model/gateway/merged-gateway.ts";
import { gatewayRefsOf, mergedGatewayFor } from "../../model/gateway/merged-gateway.ts";
import type { PortTranslation } from "../../model/gateway/port-translation.ts";
import { portTranslationFor } from "../../model/gateway/port-translation.ts";
import { policyWorkloadOf, type ServedPort, servedPorts } from "../../model/policy/policy-workload.ts";
import { portPolicies, targetedPorts } from "../../model/policy/port-policies.ts";
import { type PolicyRefs, routerPolicyRefsFor, trafficPoliciesOf } from "../../model/policy/traffic-policies.ts";
import { unservedPolicies } from "../../model/policy/unserved-policies.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext, Since } from "../../model/push-context.ts";
import { routerScopeFor } from "../../model/scope/router-scope.ts";
import { routesConnections, sendsConnectionsTo } from "../../model/traffic/virtual-service.ts";
import { buildGatewayListener } from "../../networking/listener/gateway/build-gateway-listener.ts";
import { connectionServices } from "../../networking/listener/gateway/connection-chains.ts";
import type { GatewayClient } from "../../networking/listener/gateway/gateway-client.ts";
import { gatewayClientOf } from "../../networking/listener/gateway/gateway-client.ts";
import { bindingOf, planGateway } from "../../networking/listener/gateway/plan-gateway.ts";
import {
  allBut,
  type Generated,
  type GeneratorRun,
  orPolicies,
  type PartFamily,
  type PartInputs,
} from "../generator.ts";
import { affectedHostnames } from "./affected-hostnames.ts";
import { routerDependencies } from "./dependencies.ts";

/** Inputs that the routers of one deployment share. */
interface ListenerPart extends PartInputs {
  readonly namespace: string;
  readonly labels: Labels;
  readonly translation: PortTranslation;
  readonly client: GatewayClient;
  readonly policies: PolicyRefs;
  /** The services that policies name, by port. Without such policies, routers with other services share the part. */
  readonly served: readonly ServedPort[];
}

const concerns = orPolicies(
  allBut("Endpoints", "Instance", "Sidecar", "PeerAuthentication"),
  "AuthorizationPolicy",
  "RequestAuthentication",
  "Telemetry",
  "Extension",
  "ExtensionProvider",
);
/** Kinds that TCP and TLS routes depend on; every other kind affects all ports. */
const routing: ReadonlySet<string> = new Set(["VirtualService", "Service", "DestinationRule"]);

/** LDS of routers: a listener per port of the gateways that select the proxy. */
export function gatewayListeners(writer: ProtoWriter): PartFamily<ListenerPart> {
  function generate({ inputs, push, since }: GeneratorRun<ListenerPart>): Generated {
    const { namespace, client } = inputs;
    const policies = trafficPoliciesOf(inputs.policies, push);
    const ports = listenedPorts(mergedGatewayFor(inputs, push).ports, client);
    const affected = since === undefined ? "all" : affectedPorts(ports, namespace, push, since);
    const resources = (affected === "all" ? ports : affected).flatMap((port) => {
      const services = inputs.served.find((each) => each.port === port.port)?.services ?? [];
      const own = portPolicies(policies, services);
      return buildGatewayListener({ port, client, namespace, push, policies: own }, writer) ?? [];
    });
    if (affected === "all") return { covers: "all", resources };
    return { covers: new Set(affected.map((port) => bindingOf(port, client).name)), resources };
  }

  return {
    name: "gateway",
    parts: (proxy, push) => (proxy.type === "router" ? [listenerPart(proxy, push)] : []),
    concerns,
    dependencies: ({ namespace }, push) => routerDependencies(namespace, push),
    generate,
    conflicts: conflictsOf,
  };
}

function listenerPart(proxy: Proxy, push: PushContext): ListenerPart {
  const { namespace, labels, ipAddresses: addresses } = proxy;
  const client = gatewayClientOf(proxy, push.mesh);
  const translation = portTranslationFor({ addresses, namespace, labels }, push);
  const ports = servedPorts({ addresses, namespace, labels }, push);
  const services = ports.flatMap((port) => port.services);
  const policies = routerPolicyRefsFor(policyWorkloadOf(proxy, push), services, push);
  const served = targetedPorts(ports, trafficPoliciesOf(policies, push));
  return { namespace, labels, translation, client, policies, served };
}

/** Servers that conflict on their port, connections that match two servers, and policies that the proxy cannot follow. */
function conflictsOf(inputs: ListenerPart, push: PushContext): readonly Conflict[] {
  const { namespace, client } = inputs;
  const { ports, conflicts } = mergedGatewayFor(inputs, push);
  const planned = listenedPorts(ports, client).map((port) => planGateway(port, client, { namespace, push }));
  const unserved = unservedPolicies({
    policies: trafficPoliciesOf(inputs.policies, push),
    mode: "client",
    stats: client.capabilities.stats,
    scope: routerScopeFor(namespace, push),
    mesh: push.mesh,
  });
  return [...conflicts, ...planned.flatMap((listener) => listener.conflicts), ...unserved];
}

/** The ports that the proxy may bind, each once. The wildcard address and an empty bind are the same. */
function listenedPorts(ports: readonly MergedPort[], client: GatewayClient): readonly MergedPort[] {
  const allowed = ports.filter(({ port }) => port >= 1024 || !client.unprivileged);
  const byName = Map.groupBy(allowed, (port) => bindingOf(port, client).name);
  return [...byName.values()].flatMap(([first]) => first ?? []);
}

/**
 * The ports whose listeners may differ from `since`; "all" when this is unknown. HTTP is routed by RDS. So only TCP and
 * TLS ports depend on virtual services, their destinations, and the services and rules of those.
 */
function affectedPorts(
  ports: readonly MergedPort[],
  namespace: string,
  push: PushContext,
  since: Since,
): readonly MergedPort[] | "all" {
  const kinds = new Set(Array.from(since.changed, kindNameOf).filter(concerns));
  if (since.push.mesh !== push.mesh || !kinds.isSubsetOf(routing)) return "all";
  const gateways = reroutedGateways(push, since);
  const scopeIn = (each: PushContext) => routerScopeFor(namespace, each);
  const hostnames = affectedHostnames(scopeIn, push, since, (kind) => kind === "Service" || kind === "DestinationRule");
  if (hostnames === "all") return "all";
  return ports.filter((port) => {
    const servers = port.servers.filter(passesConnections);
    if (!gatewayRefsOf({ servers }).isDisjointFrom(gateways)) return true;
    return hostnames.size > 0 && servers.some((server) => leadsTo(hostnames, server, { namespace, push }));
  });
}

function passesConnections({ server }: MergedServer): boolean {
  const kind = serverClass(server);
  return kind === "tcp" || kind === "tls";
}

/** Gateways of the changed virtual services that have, or had, TCP or TLS routes. */
function reroutedGateways(push: PushContext, since: Since): ReadonlySet<string> {
  const keys = [...since.changed].filter((id) => kindNameOf(id) === "VirtualService").map(keyOf);
  const virtualServices = [since.push, push].flatMap((each) =>
    keys.flatMap((key) => each.virtualServices.get(key) ?? []),
  );
  return new Set(virtualServices.filter(routesConnections).flatMap(({ gateways }) => gateways));
}

function leadsTo(
  hostnames: ReadonlySet<string>,
  merged: MergedServer,
  context: { readonly namespace: string; readonly push: PushContext },
): boolean {
  if (merged.server.tls?.mode === "auto-passthrough") return true;
  return [...connectionServices(merged, context)].some((each) => sendsConnectionsTo(hostnames, each));
}
