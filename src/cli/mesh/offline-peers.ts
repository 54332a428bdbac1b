import { create } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import type { OfflineMesh } from "../../app/offline/read-mesh.ts";
import { selects } from "../../config/selector.ts";
import type { EndpointPeer, PeerAt } from "../../explain/cluster/endpoint-peer.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import {
  type Endpoint,
  parseServiceKey,
  type ServiceInstance,
  tlsModeLabel,
} from "../../pilot/model/service/service.ts";
import { proxyOf } from "../../pilot/xds/node.ts";
import { describeNode, type NodeSketch } from "../nodes/describe-node.ts";
import { dumpFor, readDump } from "./proxy-dump.ts";

type Settings = Pick<NodeSketch, "domain" | "clusterId">;

/**
 * The proxies at the addresses of a mesh that is read from files. None of them is connected, so typical proxies are
 * assumed. A workload with mesh mTLS has a sidecar with interception and certificates. A workload selected by a Gateway
 * is a router.
 */
export function offlinePeers(mesh: OfflineMesh, settings: Settings): PeerAt {
  const known = new Map<string, EndpointPeer | undefined>();
  return (address) => {
    if (!known.has(address)) known.set(address, peerAt(address, mesh, settings));
    return known.get(address);
  };
}

function peerAt(address: string, mesh: OfflineMesh, settings: Settings): EndpointPeer | undefined {
  const [instance] = mesh.push.instances.get(address) ?? [];
  if (instance === undefined) return undefined;
  const endpoint = placed(instance);
  const type = isRouter(endpoint, mesh.push) ? "router" : "sidecar";
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

/** Endpoints of a ServiceEntry are in its namespace. */
function placed({ service, endpoint }: ServiceInstance): Endpoint {
  return endpoint.namespace === "" ? { ...endpoint, namespace: parseServiceKey(service).namespace } : endpoint;
}

function isRouter({ labels }: Endpoint, { gateways }: PushContext): boolean {
  return [...gateways.values()].some(({ selector }) => Object.keys(selector).length > 0 && selects(selector, labels));
}

function proxyBeside(endpoint: Endpoint, type: Proxy["type"], { domain, clusterId }: Settings): Proxy {
  const { address, namespace, labels, network, locality } = endpoint;
  const name = endpoint.workloadName || labels["app"] || address.replaceAll(/[.:]/gu, "-");
  const node = describeNode({
    id: `${type}~${address}~${name}.${namespace}~${namespace}.svc.${domain}`,
    domain,
    clusterId: endpoint.clusterId || clusterId,
    labels,
    certificates: { type: "agent" },
    metadata: { INTERCEPTION_MODE: "REDIRECT", NETWORK: network, LABELS: { ...labels } },
  });
  const [region = "", zone = "", subZone = ""] = locality.split("/");
  return proxyOf(create(NodeSchema, { ...node, locality: { region, zone, subZone } }));
}

function identityOf({ namespace, serviceAccount }: Endpoint, { mesh }: PushContext): { readonly identity?: string } {
  if (serviceAccount === "") return {};
  return { identity: `spiffe://${mesh.trustDomain}/ns/${namespace}/sa/${serviceAccount}` };
}
