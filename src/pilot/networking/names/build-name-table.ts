import { NameTableSchema } from "#gen/istio/networking/nds/v1/nds_pb.js";
import { isIpAddress } from "../../../config/address.ts";
import type { ConfigId } from "../../../config/config.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import { type Service, serviceKey } from "../../model/service.ts";
import { makeResource } from "../make-resource.ts";

/** From where names are asked for: addresses of endpoints elsewhere cannot be called. */
export interface NamesStandpoint {
  readonly clusterId: string;
  readonly network: string;
}

/** Where a name leads. */
interface NameInfo {
  readonly ips: readonly string[];
  readonly registry: Service["registry"];
  readonly shortname: string;
  readonly namespace: string;
}

/**
 * What an agent answers DNS queries from: every service that some workloads see, and its addresses. It is the only
 * resource of its type, and has no name.
 */
export function buildNameTable(
  services: readonly Service[],
  standpoint: NamesStandpoint,
  push: PushContext,
  writer: ProtoWriter,
): Resource {
  const table: Record<string, NameInfo> = {};
  const owners: ConfigId[] = [];
  for (const service of services) {
    const ips = addressesOf(service, standpoint, push);
    if (ips.length === 0) continue;
    table[service.hostname] = { ips, registry: service.registry, ...shortNameOf(service) };
    owners.push(service.owner);
  }
  return makeResource({ name: "", any: writer.any(NameTableSchema, { table }), owners });
}

/** A service that is called at its endpoints' addresses: callers want those. */
export function isNamedByEndpoints({ resolution, addresses }: Service): boolean {
  return resolution === "passthrough" && addresses.length === 0;
}

/** Subnets are no answer to anybody. */
function addressesOf(service: Service, standpoint: NamesStandpoint, push: PushContext): readonly string[] {
  if (!isNamedByEndpoints(service)) return service.addresses.filter((address) => isIpAddress(address));
  const [port] = service.ports;
  const known = push.endpoints.get(serviceKey(service))?.endpoints ?? [];
  const near = known.filter(
    ({ address, servicePortName, clusterId, network, health = "healthy" }) =>
      isIpAddress(address) &&
      servicePortName === port?.name &&
      health === "healthy" &&
      clusterId === standpoint.clusterId &&
      isReached(network, standpoint),
  );
  return [...new Set(near.map(({ address }) => address))];
}

/** Where one of them does not say which network it is in, they are taken to be in the same. */
function isReached(network: string, standpoint: NamesStandpoint): boolean {
  return network === "" || standpoint.network === "" || network === standpoint.network;
}

/** Inside a cluster shorter forms will do; which ones is the agent's business. */
function shortNameOf({ registry, hostname, namespace }: Service): Pick<NameInfo, "shortname" | "namespace"> {
  if (registry !== "Kubernetes") return { shortname: "", namespace: "" };
  return { shortname: hostname.slice(0, hostname.indexOf(".")), namespace };
}
