import type { OfflineMesh } from "../../app/offline/read-mesh.ts";
import type { EndpointPeer, PeerAt } from "../../explain/cluster/endpoint-peer.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import { type Endpoint, tlsModeLabel } from "../../pilot/model/service/service.ts";
import { isRouter, type NodeSettings, placed, proxyBeside } from "./assumed-proxies.ts";
import { dumpFor, readDump } from "./proxy-dump.ts";

/**
 * The proxies at the addresses of a mesh that is read from files. None of them is connected, so typical proxies are
 * assumed. A workload with mesh mTLS has a sidecar with interception and certificates. A workload selected by a Gateway
 * is a router.
 */
export function offlinePeers(mesh: OfflineMesh, settings: NodeSettings): PeerAt {
  const known = new Map<string, EndpointPeer | undefined>();
  return (address) => {
    if (!known.has(address)) known.set(address, peerAt(address, mesh, settings));
    return known.get(address);
  };
}

function peerAt(address: string, mesh: OfflineMesh, settings: NodeSettings): EndpointPeer | undefined {
  const [instance] = mesh.push.instances.get(address) ?? [];
  if (instance === undefined) return undefined;
  const endpoint = placed(instance);
  const type = isRouter(endpoint, [...mesh.push.gateways.values()]) ? "router" : "sidecar";
  if (type === "sidecar" && endpoint.tlsMode !== "istio") {
    const because = `no sidecar terminates it: the workload has no label ${tlsModeLabel}=istio and no service account`;
    return { type: "workload", because };
  }
  const proxy = proxyBeside(endpoint, type, settings);
  return {
    type: "proxy",
    name: `${type} ${proxy.id}`,
    direction: type === "router" ? "gateway" : "inbound",
    config: readDump(dumpFor(proxy, mesh)).config,
    ...identityOf(endpoint, mesh.push),
  };
}

function identityOf({ namespace, serviceAccount }: Endpoint, { mesh }: PushContext): { readonly identity?: string } {
  if (serviceAccount === "") return {};
  return { identity: `spiffe://${mesh.trustDomain}/ns/${namespace}/sa/${serviceAccount}` };
}
