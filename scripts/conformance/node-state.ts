import { fromBinary } from "@bufbuild/protobuf";
import { type Cluster, Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { textLength, WireWriter } from "../../src/xds/wire/wire-format.ts";
import { clusterType, type PlainResource, type Snapshot } from "../../src/xds.ts";

/** The state of a node that the harness requests: resources by type and name, and a version per type. */
export class NodeState {
  readonly #resources = new Map<string, PlainResource>();
  readonly #versions = new Map<string, string>();

  /** Adds the resource, or gives the existing one a new version. Its type gets the same version. */
  put(typeUrl: string, name: string, version: string, given?: Uint8Array): void {
    const key = `${typeUrl} ${name}`;
    const value = given ?? this.#resources.get(key)?.value ?? named(name);
    this.#resources.set(key, { typeUrl, name, value, version, ...warming(typeUrl, value) });
    this.#versions.set(typeUrl, version);
  }

  remove(typeUrl: string, name: string, version: string): void {
    this.#resources.delete(`${typeUrl} ${name}`);
    if (version !== "") this.#versions.set(typeUrl, version);
  }

  get snapshot(): Snapshot {
    return { resources: [...this.#resources.values()], version: new Map(this.#versions) };
  }
}

/** All types of Envoy have their name in field 1. The harness reads nothing else. */
function named(name: string): Uint8Array {
  return new WireWriter(textLength(name)).text(1, name).bytes;
}

/** The load assignment for which a cluster with EDS waits. */
function warming(typeUrl: string, value: Uint8Array): { readonly warmedBy?: string } {
  if (typeUrl !== clusterType) return {};
  const { name, edsClusterConfig, clusterDiscoveryType }: Cluster = fromBinary(ClusterSchema, value);
  if (clusterDiscoveryType.value !== Cluster_DiscoveryType.EDS) return {};
  return { warmedBy: edsClusterConfig?.serviceName || name };
}
