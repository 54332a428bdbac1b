import { NameTableSchema } from "#gen/istio/networking/nds/v1/nds_pb.js";
import { isIpAddress } from "../../../config/grammar/address.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import { type Endpoint, isHeadless, type Service, serviceKey } from "../../model/service/service.ts";
import { makeResource } from "../make-resource.ts";

/** The cluster and network of the client. Endpoints in other networks cannot be called. */
export interface NameTableClient {
  readonly clusterId: string;
  readonly network: string;
}

/** The entry of a name. */
interface NameInfo {
  readonly ips: readonly string[];
  readonly registry: Service["registry"];
  readonly shortname: string;
  readonly namespace: string;
}

/**
 * The DNS table of an agent: every service in the scope of some workloads, with its addresses. It is the only resource
 * of its type and has no name.
 */
export function buildNameTable(
  services: readonly Service[],
  client: NameTableClient,
  push: PushContext,
  writer: ProtoWriter,
): Resource {
  const names = services.map((service) => ({ service, entries: [...entriesOf(service, client, push)] }));
  // The first entry of a name wins.
  const table = Object.fromEntries(names.flatMap(({ entries }) => entries).toReversed());
  const owners = names.filter(({ entries }) => entries.length > 0).map(({ service }) => service.owner);
  return makeResource({ name: "", any: writer.any(NameTableSchema, { table }), owners });
}

/** The names of a service and of its named pods. */
function* entriesOf(
  service: Service,
  client: NameTableClient,
  push: PushContext,
): Generator<readonly [hostname: string, NameInfo]> {
  const { hostname, registry, namespace } = service;
  const near = isHeadless(service) ? nearEndpoints(service, client, push) : [];
  const ips = isHeadless(service) ? addressesOf(near, client) : service.addresses.filter(isIpAddress);
  if (ips.length > 0) yield [hostname, { ips, registry, ...shortNameOf(service) }];
  for (const { podName, address } of near) {
    if (podName === undefined) continue;
    const info = { ips: [address], registry, shortname: podName, namespace };
    yield [`${podName}${hostname.slice(hostname.indexOf("."))}`, info];
  }
}

/** The healthy endpoints of its first port that the client can reach. */
function nearEndpoints(service: Service, client: NameTableClient, push: PushContext): readonly Endpoint[] {
  const [port] = service.ports;
  const known = push.endpoints.get(serviceKey(service))?.endpoints ?? [];
  return known.filter(
    ({ address, servicePortName, network, health = "healthy" }) =>
      isIpAddress(address) && servicePortName === port?.name && health === "healthy" && isReached(network, client),
  );
}

/** Like the cluster's own DNS, leaves out endpoints of other clusters. */
function addressesOf(endpoints: readonly Endpoint[], { clusterId }: NameTableClient): readonly string[] {
  const own = endpoints.filter((endpoint) => endpoint.clusterId === clusterId);
  return [...new Set(own.map(({ address }) => address))];
}

/** Without a network on one side, both count as in the same network. */
function isReached(network: string, client: NameTableClient): boolean {
  return network === "" || client.network === "" || network === client.network;
}

/** Kubernetes services also have short forms, which the agent derives. */
function shortNameOf({ registry, hostname, namespace }: Service): Pick<NameInfo, "shortname" | "namespace"> {
  if (registry !== "Kubernetes") return { shortname: "", namespace: "" };
  return { shortname: hostname.slice(0, hostname.indexOf(".")), namespace };
}
