import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Labels } from "../../model/labels.ts";
import { labelsId } from "../../model/labels.ts";
import type { MergedPort } from "../../model/merged-gateway.ts";
import { mergedGatewayFor } from "../../model/merged-gateway.ts";
import type { Proxy } from "../../model/proxy.ts";
import { routerScopeFor } from "../../model/router-scope.ts";
import { buildGatewayListener } from "../../networking/listener/build-gateway-listener.ts";
import type { TracingIdentity } from "../../networking/listener/tracing.ts";
import type { PartFamily, PartInputs } from "../generator.ts";

/** What the routers of one deployment share. */
interface ListenerPart extends PartInputs {
  readonly namespace: string;
  readonly labels: Labels;
  readonly wildcard: "0.0.0.0" | "::";
  readonly identity: TracingIdentity;
  /** May not listen on ports below 1024. */
  readonly unprivileged: boolean;
}

const ignored: ReadonlySet<string> = new Set([
  "Service",
  "Endpoints",
  "Instance",
  "DestinationRule",
  "VirtualService",
  "Sidecar",
]);

/** LDS: a listener per port of the gateways that select the proxy. Few and cheap, so always all of them. */
export function gatewayListeners(writer: ProtoWriter): PartFamily<ListenerPart> {
  return {
    name: "gateway",
    parts: (proxy) => (proxy.type === "router" ? [listenerPart(proxy)] : []),
    scope: ({ namespace }, push) => routerScopeFor(namespace, push),
    concerns: (kind) => !ignored.has(kind),
    generate: ({ inputs: { labels, wildcard, identity, unprivileged }, push }) => {
      const ports = mergedGatewayFor(labels, push).ports.filter((port) => mayListen(port, unprivileged));
      const resources = ports.flatMap(
        (port) => buildGatewayListener({ port, wildcard, identity, mesh: push.mesh }, writer) ?? [],
      );
      return { covers: "all", resources };
    },
  };
}

function listenerPart(proxy: Proxy): ListenerPart {
  const { namespace, labels } = proxy;
  const wildcard = proxy.ipAddresses.some((address) => !address.includes(":")) ? "0.0.0.0" : "::";
  const unprivileged = proxy.metadata["UNPRIVILEGED_POD"] === "true";
  const identity = identityOf(proxy);
  const id = JSON.stringify([namespace, labelsId(labels), wildcard, unprivileged, identity]);
  return { id, namespace, labels, wildcard, unprivileged, identity };
}

function identityOf({ labels, namespace, clusterId, meshId }: Proxy): TracingIdentity {
  return {
    canonicalRevision: labels["service.istio.io/canonical-revision"] || "latest",
    canonicalService: labels["service.istio.io/canonical-name"] || "unknown",
    clusterId: clusterId || "unknown",
    meshId: meshId || "unknown",
    namespace: namespace || "default",
  };
}

function mayListen({ port }: MergedPort, unprivileged: boolean): boolean {
  return port >= 1024 || !unprivileged;
}
