import { create } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { selects } from "../../config/selector.ts";
import { canonicalKey } from "../../lib/canonical-key.ts";
import type { Gateway } from "../../pilot/model/gateway/gateway.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import { type Endpoint, parseServiceKey, type ServiceInstance } from "../../pilot/model/service/service.ts";
import { proxyOf } from "../../pilot/xds/node.ts";
import { describeNode, type NodeSketch } from "../nodes/describe-node.ts";

export type NodeSettings = Pick<NodeSketch, "domain" | "clusterId">;

/** A proxy that a mesh without connections probably has, and how many like it. */
export interface AssumedProxy {
  readonly proxy: Proxy;
  readonly count: number;
}

/**
 * The proxies that a mesh probably has: a sidecar beside every workload, a router for every workload that a Gateway
 * selects, and a router for every Gateway that selects no workload. Proxies of equal workloads count as one.
 */
export function assumedProxies({ instances, gateways }: PushContext, settings: NodeSettings): readonly AssumedProxy[] {
  const endpoints = Array.from(instances.values(), workloadsAmong).flat();
  const found = Map.groupBy(endpoints, ({ namespace, labels, network, locality, serviceAccount }) =>
    canonicalKey({ namespace, labels, network, locality, serviceAccount }),
  );
  const besideWorkloads = Array.from(found.values(), (equal) => {
    const [endpoint] = equal;
    const type = endpoint !== undefined && isRouter(endpoint, [...gateways.values()]) ? "router" : "sidecar";
    return endpoint === undefined ? [] : [{ proxy: proxyBeside(endpoint, type, settings), count: equal.length }];
  }).flat();
  const alone = [...gateways.values()].filter(
    ({ selector }) => Object.keys(selector).length > 0 && !endpoints.some(({ labels }) => selects(selector, labels)),
  );
  const selectors = new Map(alone.map((gateway) => [canonicalKey({ ...gateway.selector }), gateway]));
  return [
    ...besideWorkloads,
    ...Array.from(selectors.values(), (each) => ({ proxy: routerFor(each, settings), count: 1 })),
  ];
}

/** The workloads at one address. Several share one where each listens on ports of its own. */
function workloadsAmong(instances: readonly ServiceInstance[]): readonly Endpoint[] {
  const endpoints = instances.map(placed);
  return [...new Map(endpoints.map((endpoint) => [canonicalKey({ ...endpoint.labels }), endpoint])).values()];
}

function routerFor({ selector, owner }: Gateway, { domain, clusterId }: NodeSettings): Proxy {
  const [, namespace = "default"] = owner.split("/");
  const id = `router~${Object.values(selector)[0] ?? "gateway"}-0.${namespace}`;
  const node = describeNode({ id, domain, clusterId, labels: selector, certificates: { type: "agent" }, metadata: {} });
  return proxyOf(create(NodeSchema, node));
}

/** Endpoints of a ServiceEntry are in its namespace. */
export function placed({ service, endpoint }: ServiceInstance): Endpoint {
  return endpoint.namespace === "" ? { ...endpoint, namespace: parseServiceKey(service).namespace } : endpoint;
}

export function isRouter({ labels }: Endpoint, gateways: readonly Gateway[]): boolean {
  return gateways.some(({ selector }) => Object.keys(selector).length > 0 && selects(selector, labels));
}

export function proxyBeside(endpoint: Endpoint, type: Proxy["type"], { domain, clusterId }: NodeSettings): Proxy {
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
