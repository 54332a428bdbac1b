import { fromBinary } from "@bufbuild/protobuf";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { type ClusterLoadAssignment, ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import type { DiscoveryResponse } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { clusterType, endpointType } from "../../../../src/xds/type-urls.ts";
import { gatewayNode } from "../envoy/bootstrap.ts";
import { SotwClient } from "../xds/ads-client.ts";

type Endpoints = ReadonlySet<string>;

/** One cluster of one response, as it was sent. */
interface Shown {
  readonly cluster: string;
  readonly endpoints: Endpoints;
}

/** A proxy that accepts everything and keeps a record of every message it was ever sent. */
export class EndpointJudge implements Disposable {
  readonly #client: SotwClient;
  readonly #shown: Shown[] = [];
  readonly #held = new Map<string, Endpoints>();
  #clusters = "";
  #clusterResponses = 0;
  #endpointResponses = 0;
  #open = true;

  constructor(xdsPort: number) {
    this.#client = new SotwClient(xdsPort, gatewayNode);
    this.#client.subscribe(clusterType);
    void this.#listen(clusterType, (response) => this.#takeClusters(response));
    void this.#listen(endpointType, (response) => this.#takeEndpoints(response));
  }

  /** How many responses there were so far. */
  get responses(): { readonly clusters: number; readonly endpoints: number } {
    return { clusters: this.#clusterResponses, endpoints: this.#endpointResponses };
  }

  /** `ADDRESS:PORT` of the cluster's endpoints, sorted; undefined for a cluster that it has heard nothing of. */
  endpoints(cluster: string): readonly string[] | undefined {
    const held = this.#held.get(cluster);
    return held && [...held].toSorted();
  }

  /** All that was ever said of the endpoints of a cluster, first to last. */
  history(cluster: string): readonly Endpoints[] {
    return this.#shown.filter((shown) => shown.cluster === cluster).map(({ endpoints }) => endpoints);
  }

  [Symbol.dispose](): void {
    this.#open = false;
    this.#client[Symbol.dispose]();
  }

  async #listen(type: string, take: (response: DiscoveryResponse) => void): Promise<void> {
    while (this.#open) {
      const response = await this.#client.next(type, { seconds: 1 }).catch(() => undefined);
      if (response === undefined || !this.#open) continue;
      take(response);
      this.#client.ack(response);
    }
  }

  #takeClusters({ resources }: DiscoveryResponse): void {
    this.#clusterResponses += 1;
    const names = resources
      .map(({ value }) => fromBinary(ClusterSchema, value))
      .filter(({ edsClusterConfig }) => edsClusterConfig);
    const asked = names.map(({ name }) => name).toSorted();
    if (asked.join() === this.#clusters) return;
    this.#clusters = asked.join();
    this.#client.subscribe(endpointType, asked);
  }

  #takeEndpoints({ resources }: DiscoveryResponse): void {
    this.#endpointResponses += 1;
    for (const { value } of resources) {
      const assignment = fromBinary(ClusterLoadAssignmentSchema, value);
      const shown = { cluster: assignment.clusterName, endpoints: addressesIn(assignment) };
      this.#shown.push(shown);
      this.#held.set(shown.cluster, shown.endpoints);
    }
  }
}

function addressesIn({ endpoints }: ClusterLoadAssignment): Endpoints {
  const hosts = endpoints.flatMap(({ lbEndpoints }) => lbEndpoints);
  const addresses = hosts.flatMap(({ hostIdentifier: { value } }) => {
    const address = typeof value === "object" ? value.address?.address : undefined;
    if (address?.case !== "socketAddress") return [];
    const { portSpecifier } = address.value;
    return [`${address.value.address}:${portSpecifier.case === "portValue" ? portSpecifier.value : ""}`];
  });
  return new Set(addresses);
}
