import assert from "node:assert/strict";
import { fromBinary } from "@bufbuild/protobuf";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import type { DeltaDiscoveryResponse } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { typeUrls } from "../../../../src/fleet/fleet-resource-type.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { type EnvoyNode, sidecarNode } from "../envoy/bootstrap.ts";
import { DeltaClient } from "./ads-client.ts";

/** An xDS client that asks for all clusters and their endpoints, acknowledges everything, and keeps every message. */
export class XdsRecording implements Disposable {
  readonly #client: DeltaClient;
  readonly #clusters = new Set<string>();
  readonly #endpoints = new Map<string, readonly string[]>();
  /** Every response so far, as `CDS +name -name` and the like. */
  readonly responses: string[] = [];
  /** Every set of endpoints that was ever sent, in order, as `cluster: address, address`. */
  readonly history: string[] = [];

  constructor(port: number, node: EnvoyNode = sidecarNode) {
    this.#client = new DeltaClient(port, node);
    this.#client.subscribe(typeUrls.CDS);
  }

  /** Takes what has arrived by now. */
  async take(): Promise<void> {
    for (const type of ["CDS", "EDS"] as const) {
      while (this.#client.stream.waiting(typeUrls[type]) > 0) {
        const response = await this.#client.next(typeUrls[type]);
        const names = [
          ...response.resources.map(({ name }) => `+${name}`),
          ...response.removedResources.map((name) => `-${name}`),
        ];
        this.responses.push(`${type} ${names.toSorted().join(" ")}`);
        if (type === "CDS") this.#takeClusters(response);
        else this.#takeEndpoints(response);
        this.#client.ack(response);
      }
    }
  }

  /** The endpoints of a cluster by now, as `address:port`, sorted; undefined for no such cluster. */
  async endpoints(cluster: string): Promise<readonly string[] | undefined> {
    await this.take();
    return this.#clusters.has(cluster) ? this.#endpoints.get(cluster) : undefined;
  }

  /** Resolves when these are the endpoints of a cluster; undefined when there is no such cluster. */
  async untilEndpoints(cluster: string, expected: readonly string[] | undefined): Promise<void> {
    const isSo = async () => {
      assert.deepEqual(await this.endpoints(cluster), expected);
      return true;
    };
    await eventually(`the endpoints of ${cluster}`, isSo, { seconds: 20 });
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  #takeClusters({ resources, removedResources }: DeltaDiscoveryResponse): void {
    const names = resources.map(({ name }) => name).filter((name) => name.startsWith("outbound|"));
    const added = names.filter((name) => !this.#clusters.has(name));
    for (const name of names) this.#clusters.add(name);
    for (const name of removedResources) {
      this.#clusters.delete(name);
      this.#endpoints.delete(name);
    }
    if (added.length > 0) this.#client.subscribe(typeUrls.EDS, added);
    const gone = removedResources.filter((name) => name.startsWith("outbound|"));
    if (gone.length > 0) this.#client.unsubscribe(typeUrls.EDS, gone);
  }

  #takeEndpoints({ resources }: DeltaDiscoveryResponse): void {
    for (const { name, resource } of resources) {
      const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, resource?.value ?? new Uint8Array());
      const addresses = endpoints.flatMap(({ lbEndpoints }) =>
        lbEndpoints.flatMap(({ hostIdentifier }) => {
          if (hostIdentifier.case !== "endpoint") return [];
          const address = hostIdentifier.value.address?.address;
          if (address?.case !== "socketAddress" || address.value.portSpecifier.case !== "portValue") return [];
          return `${address.value.address}:${address.value.portSpecifier.value}`;
        }),
      );
      this.#endpoints.set(name, addresses.toSorted());
      this.history.push(`${name}: ${addresses.toSorted().join(", ")}`);
    }
  }
}
