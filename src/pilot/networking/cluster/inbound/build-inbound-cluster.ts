import type { JsonObject } from "@bufbuild/protobuf";
import { Cluster_DiscoveryType, Cluster_LbPolicy, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { AddressFamilies } from "../../../model/proxy/address-families.ts";
import type { Resource } from "../../../model/resource.ts";
import type { Protocol, Service } from "../../../model/service/service.ts";
import type { ConnectionPool, DestinationRule } from "../../../model/traffic/destination-rule.ts";
import { addressOf, pipeAddress } from "../../address.ts";
import { makeResource } from "../../make-resource.ts";
import { bindConfigOf } from "../bind-config.ts";
import { rulePath, serviceMetadata } from "../cluster-metadata.ts";
import { inboundClusterName } from "../cluster-name.ts";
import { circuitBreakersOf, upstreamConnectionOptionsOf } from "../connection-pool.ts";
import { httpProtocolOptionsOf, keepsHeaderCase, upstreamHttpOf } from "../http-protocol-options.ts";
import { statName } from "../stat-name.ts";

/** The destination of inbound traffic. */
export type InboundDestination =
  /** The original destination address. */
  | { readonly type: "original" }
  | { readonly type: "address"; readonly address: string; readonly port: number }
  | { readonly type: "pipe"; readonly path: string };

/** All inputs of the cluster behind one port of a workload. */
export interface InboundClusterInputs {
  /** The port that names the cluster. */
  readonly port: number;
  /** The service's port; without a service, the same as `port`. */
  readonly servicePort: number;
  readonly protocol: Protocol;
  readonly destination: InboundDestination;
  /** The services on this port; the first one decides. */
  readonly services: readonly Service[];
  /** The rule whose policy applies, if any. */
  readonly rule: DestinationRule | undefined;
  readonly pool: ConnectionPool | undefined;
  /** The address families of the workload. */
  readonly families: AddressFamilies;
  readonly mesh: MeshSettings;
}

/** The same object for all workloads that serve the same port of the same services. */
export function buildInboundCluster(inputs: InboundClusterInputs, writer: ProtoWriter): Resource {
  const { services, rule, pool, mesh, ...facts } = inputs;
  return buildCluster([mesh, rule, pool, writer, ...services], facts);
}

type Held = readonly [
  MeshSettings,
  InboundClusterInputs["rule"],
  InboundClusterInputs["pool"],
  ProtoWriter,
  ...InboundClusterInputs["services"],
];
type Facts = Omit<InboundClusterInputs, "services" | "rule" | "pool" | "mesh">;

const buildCluster = memoize(
  ([mesh, rule, pool, writer, ...services]: Held, facts: Facts): Resource =>
    encodeCluster({ ...facts, services, rule, pool, mesh }, writer),
);

function encodeCluster(inputs: InboundClusterInputs, writer: ProtoWriter): Resource {
  const { protocol, destination, services, rule, pool, families, mesh } = inputs;
  const name = inboundClusterName(inputs.port);
  const original = destination.type === "original";
  const http = upstreamHttpOf({ protocol, pool, sniffs: true, upgrades: false });
  const metadata = metadataOf(inputs);
  const any = writer.any(ClusterSchema, {
    name,
    altStatName: `${statNameOf(inputs) ?? name};`,
    clusterDiscoveryType: {
      case: "type",
      value: original ? Cluster_DiscoveryType.ORIGINAL_DST : Cluster_DiscoveryType.STATIC,
    },
    connectTimeout: pool?.connectTimeout ?? mesh.connectTimeout,
    lbPolicy: original ? Cluster_LbPolicy.CLUSTER_PROVIDED : Cluster_LbPolicy.ROUND_ROBIN,
    loadAssignment: destination.type === "original" ? undefined : onlyEndpoint(name, destination),
    circuitBreakers: circuitBreakersOf(pool),
    typedExtensionProtocolOptions: httpProtocolOptionsOf(
      { http, pool, keepsCase: keepsHeaderCase(protocol, mesh) },
      writer,
    ),
    cleanupInterval: original ? never : undefined,
    upstreamBindConfig: isLoopback(destination) ? undefined : bindConfigOf(families),
    commonLbConfig: {},
    metadata: metadata === undefined ? undefined : { filterMetadata: { istio: metadata } },
    upstreamConnectionOptions: upstreamConnectionOptionsOf(pool?.tcpKeepalive, mesh.tcpKeepalive),
  });
  return makeResource({ name, any, owners: [...services.map(({ owner }) => owner), ...(rule?.owners ?? [])] });
}

function statNameOf({ services: [service], servicePort, port, mesh }: InboundClusterInputs): string | undefined {
  if (mesh.inboundStatName === "" || service === undefined) return undefined;
  const named = service.ports.find(({ number }) => number === servicePort);
  const counted = { number: servicePort, name: named?.name ?? "" };
  return statName(mesh.inboundStatName, { service, port: counted, subset: "", targetPort: port });
}

/** The longest interval that Envoy accepts, because the workload's address does not change. */
const never = { seconds: 9_223_372_035n, nanos: 0 };

function onlyEndpoint(clusterName: string, destination: Exclude<InboundDestination, { readonly type: "original" }>) {
  const address =
    destination.type === "pipe" ? pipeAddress(destination.path) : addressOf(destination.address, destination.port);
  const endpoint = { hostIdentifier: { case: "endpoint", value: { address } } } as const;
  return { clusterName, endpoints: [{ lbEndpoints: [endpoint] }] };
}

/** The redirect rules of the kernel exclude loopback. */
function isLoopback(destination: InboundDestination): boolean {
  return destination.type === "address" && (destination.address === "127.0.0.1" || destination.address === "::1");
}

/** Undefined for a port without a service of the mesh. */
function metadataOf({ services, rule }: InboundClusterInputs): JsonObject | undefined {
  if (services[0] === undefined || services[0].meshExternal) return undefined;
  const metadata: JsonObject = { services: services.map(serviceMetadata) };
  if (rule !== undefined) metadata["config"] = rulePath(rule);
  return metadata;
}
