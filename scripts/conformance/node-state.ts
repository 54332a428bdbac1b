import { fromBinary } from "@bufbuild/protobuf";
import { type Cluster, Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { textLength, WireWriter } from "../../src/xds/wire/wire.ts";
import { clusterType, type PlainResource, type Snapshot } from "../../src/xds.ts";

/** What the harness wants a node to be served: resources by type and name, and a version per type. */
export class NodeState {
  readonly #resources = new Map<string, PlainResource>();
  readonly #versions = new Map<string, string>();

  /** Adds the resource, or gives the one that is there a new version; its type has that version from now on. */
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

/** The types of Envoy all have their name in field 1; the harness looks at nothing else. */
function named(name: string): Uint8Array {
  return new WireWriter(textLength(name)).text(1, name).bytes;
}

/** What a cluster waits for, if it takes its endpoints over EDS. */
function warming(typeUrl: string, value: Uint8Array): { readonly warmedBy?: string } {
  if (typeUrl !== clusterType) return {};
  const { name, edsClusterConfig, clusterDiscoveryType }: Cluster = fromBinary(ClusterSchema, value);
  if (clusterDiscoveryType.value !== Cluster_DiscoveryType.EDS) return {};
  return { warmedBy: edsClusterConfig?.serviceName || name };
}
