import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../model/conflict.ts";
import type { MergedPort } from "../../model/gateway/merged-gateway.ts";
import { mergedGatewayFor } from "../../model/gateway/merged-gateway.ts";
import type { PortTranslation } from "../../model/gateway/port-translation.ts";
import { portTranslationFor } from "../../model/gateway/port-translation.ts";
import type { Labels } from "../../model/labels.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import { routerScopeFor } from "../../model/scope/router-scope.ts";
import { buildGatewayListener } from "../../networking/listener/gateway/build-gateway-listener.ts";
import type { GatewayClient } from "../../networking/listener/gateway/gateway-client.ts";
import { gatewayClientOf } from "../../networking/listener/gateway/gateway-client.ts";
import { placeOf, planGateway } from "../../networking/listener/gateway/plan-gateway.ts";
import type { Generated, GeneratorRun, PartFamily, PartInputs } from "../generator.ts";
import { affectedPorts, concernsPorts } from "./affected/affected-ports.ts";

/** Inputs that the routers of one deployment share. */
interface ListenerPart extends PartInputs {
  readonly namespace: string;
  readonly labels: Labels;
  readonly translation: PortTranslation;
  readonly client: GatewayClient;
}

/** LDS of routers: a listener per port of the gateways that select the proxy. */
export function gatewayListeners(writer: ProtoWriter): PartFamily<ListenerPart> {
  function generate({ inputs, push, since }: GeneratorRun<ListenerPart>): Generated {
    const { namespace, client } = inputs;
    const ports = listenedPorts(mergedGatewayFor(inputs, push).ports, client);
    const affected = since === undefined ? "all" : affectedPorts(ports, namespace, push, since);
    const resources = (affected === "all" ? ports : affected).flatMap(
      (port) => buildGatewayListener({ port, client, namespace, push }, writer) ?? [],
    );
    if (affected === "all") return { covers: "all", resources };
    return { covers: new Set(affected.map((port) => placeOf(port, client).name)), resources };
  }

  return {
    name: "gateway",
    parts: (proxy, push) => (proxy.type === "router" ? [listenerPart(proxy, push)] : []),
    scope: ({ namespace }, push) => routerScopeFor(namespace, push),
    concerns: concernsPorts,
    generate,
    conflicts: conflictsOf,
  };
}

function listenerPart(proxy: Proxy, push: PushContext): ListenerPart {
  const { namespace, labels, ipAddresses: addresses } = proxy;
  const client = gatewayClientOf(proxy, push.mesh);
  const translation = portTranslationFor({ addresses, namespace, labels }, push);
  return { namespace, labels, translation, client };
}

/** Servers that conflict on their port, and connections that match two servers. */
function conflictsOf(inputs: ListenerPart, push: PushContext): readonly Conflict[] {
  const { namespace, client } = inputs;
  const { ports, conflicts } = mergedGatewayFor(inputs, push);
  const planned = listenedPorts(ports, client).map((port) => planGateway(port, client, { namespace, push }));
  return [...conflicts, ...planned.flatMap((listener) => listener.conflicts)];
}

/** The ports that the proxy may bind, each once. The wildcard address and an empty bind are the same. */
function listenedPorts(ports: readonly MergedPort[], client: GatewayClient): readonly MergedPort[] {
  const allowed = ports.filter(({ port }) => port >= 1024 || !client.unprivileged);
  const byName = Map.groupBy(allowed, (port) => placeOf(port, client).name);
  return [...byName.values()].flatMap(([first]) => first ?? []);
}
