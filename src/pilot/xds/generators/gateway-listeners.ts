import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Labels } from "../../model/labels.ts";
import { labelsId } from "../../model/labels.ts";
import type { MergedPort } from "../../model/merged-gateway.ts";
import { mergedGatewayFor } from "../../model/merged-gateway.ts";
import type { Proxy } from "../../model/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import { routerScopeFor } from "../../model/router-scope.ts";
import { buildGatewayListener } from "../../networking/listener/build-gateway-listener.ts";
import type { ListenerClient } from "../../networking/listener/listener-client.ts";
import { listenerClientId, listenerClientOf } from "../../networking/listener/listener-client.ts";
import type { PartFamily, PartInputs } from "../generator.ts";

/** What the routers of one deployment share. */
interface ListenerPart extends PartInputs {
  readonly namespace: string;
  readonly labels: Labels;
  readonly client: ListenerClient;
}

const ignored: ReadonlySet<string> = new Set([
  "Service",
  "Endpoints",
  "Instance",
  "DestinationRule",
  "VirtualService",
  "Sidecar",
]);

/** LDS of routers: a listener per port of the gateways that select the proxy. Few and cheap, so always all of them. */
export function gatewayListeners(writer: ProtoWriter): PartFamily<ListenerPart> {
  return {
    name: "gateway",
    parts: (proxy, push) => (proxy.type === "router" ? [listenerPart(proxy, push)] : []),
    scope: ({ namespace }, push) => routerScopeFor(namespace, push),
    concerns: (kind) => !ignored.has(kind),
    generate: ({ inputs: { labels, client }, push }) => {
      const ports = mergedGatewayFor(labels, push).ports.filter((port) => isAllowed(port, client));
      const resources = ports.flatMap((port) => buildGatewayListener({ port, client, mesh: push.mesh }, writer) ?? []);
      return { covers: "all", resources };
    },
  };
}

function listenerPart(proxy: Proxy, push: PushContext): ListenerPart {
  const { namespace, labels } = proxy;
  const client = listenerClientOf(proxy, push.mesh);
  return { id: JSON.stringify([namespace, labelsId(labels), listenerClientId(client)]), namespace, labels, client };
}

function isAllowed({ port }: MergedPort, { unprivileged }: ListenerClient): boolean {
  return port >= 1024 || !unprivileged;
}
