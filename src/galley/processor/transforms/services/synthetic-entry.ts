import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import {
  type ServiceEntry,
  ServiceEntry_Location,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { WorkloadEntrySchema } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import type { Config } from "../../../../config/config.ts";
import { contentVersion } from "../../../../config/content-version.ts";
import type { MeshEndpoint, MeshLocality, MeshService } from "../../../../config/mesh/mesh-service.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { hashText } from "../../../../lib/hash.ts";

const annotationPrefix = "networking.alpha.istio.io";
/** MCP consumers expect an address, even for a service without one. */
const unspecified = "0.0.0.0";

export function meshTrustDomain({ trustDomain }: MeshConfig): string {
  return trustDomain === "" ? "cluster.local" : trustDomain;
}

/**
 * A service in MCP form: Galley's synthetic ServiceEntry. It has less information than the service. Facts without a
 * field are left out, and not-ready endpoints are only an annotation.
 */
export function syntheticEntryOf(config: Config<MeshService>, trustDomain: string): Config<ServiceEntry> {
  const { namespace, name, labels, createdAt, origin, spec: service } = config;
  const ready = (service.endpoints ?? []).filter(({ health }) => health === "healthy");
  const entries = ready.length === 0 ? externalEndpoints(config) : ready.map(entryOf);
  const spec = create(ServiceEntrySchema, {
    hosts: [service.hostname],
    addresses: [addressOf(service)],
    ports: service.ports.map((port) => ({ number: port.number, name: port.name, protocol: port.protocol })),
    location: isExternal(service) ? ServiceEntry_Location.MESH_EXTERNAL : ServiceEntry_Location.MESH_INTERNAL,
    resolution: resolutionOf(service, entries.length),
    endpoints: [...entries],
    exportTo: [...service.exportTo],
    subjectAltNames: subjectAltNames(ready, trustDomain),
  });
  const annotations = { ...config.annotations, ...versionAnnotations(config), ...notReadyAnnotation(service) };
  const content = {
    kind: "ServiceEntry",
    apiVersion: "networking.istio.io/v1alpha3",
    namespace,
    name,
    labels,
    annotations,
    createdAt,
    spec,
  };
  return { ...content, version: contentVersion(content, ServiceEntrySchema), origin };
}

function isExternal({ access }: MeshService): boolean {
  return access.type === "alias";
}

/** Only the first address: consumers of that time supported one address per service. */
function addressOf({ access }: MeshService): string {
  return access.type === "virtual" ? (access.addresses[0] ?? unspecified) : unspecified;
}

/** A service with an address keeps its resolution without endpoints, so clients do not bypass it. */
function resolutionOf(service: MeshService, endpoints: number): ServiceEntry_Resolution {
  if (isExternal(service)) return ServiceEntry_Resolution.DNS;
  if (endpoints > 0 || addressOf(service) !== unspecified) return ServiceEntry_Resolution.STATIC;
  return ServiceEntry_Resolution.NONE;
}

type Entry = MessageInitShape<typeof WorkloadEntrySchema>;

function entryOf({ address, ports, labels, locality }: MeshEndpoint): Entry {
  return { address, ports, labels, locality: localityText(locality) };
}

function externalEndpoints({ labels, spec: { access, ports } }: Config<MeshService>): readonly Entry[] {
  if (access.type !== "alias") return [];
  const numbers = Object.fromEntries(ports.map(({ name, number }) => [name, number]));
  return [{ address: access.externalName, ports: numbers, labels }];
}

/** A region without a zone keeps its slash. */
function localityText({ region, zone, subzone }: MeshLocality): string {
  if (region === "" && zone === "" && subzone === "") return "";
  return subzone === "" ? `${region}/${zone}` : `${region}/${zone}/${subzone}`;
}

function subjectAltNames(endpoints: readonly MeshEndpoint[], trustDomain: string): string[] {
  const known = endpoints.filter(({ serviceAccount }) => serviceAccount !== undefined);
  const names = known.map((each) => `spiffe://${trustDomain}/ns/${each.namespace}/sa/${each.serviceAccount}`);
  return [...new Set(names)].toSorted(compareTexts);
}

function versionAnnotations({ labels, annotations, spec: { endpoints, ...service } }: Config<MeshService>) {
  const serviceVersion = hashText(JSON.stringify({ labels, annotations, service }));
  return {
    [`${annotationPrefix}/serviceVersion`]: serviceVersion,
    ...(endpoints !== undefined && { [`${annotationPrefix}/endpointsVersion`]: hashText(JSON.stringify(endpoints)) }),
  };
}

/** `ip:port` of the not-ready endpoints, port by port, for all addresses that share their ports. */
function notReadyAnnotation({ endpoints = [] }: MeshService) {
  const notReady = endpoints.filter(({ health }) => health === "unhealthy");
  const bySubset = Map.groupBy(notReady, ({ ports }) => JSON.stringify(ports));
  const addresses = [...bySubset.values()].flatMap((subset) =>
    Object.values(subset[0]?.ports ?? {}).flatMap((port) => subset.map(({ address }) => `${address}:${port}`)),
  );
  return addresses.length === 0 ? {} : { [`${annotationPrefix}/notReadyEndpoints`]: addresses.join(",") };
}
