import { setTimeout as pause } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { endpointType } from "../../src/xds/type-urls.ts";
import { commonMetadata, sidecarNode } from "../../test/e2e/support/envoy/bootstrap.ts";
import { delta } from "../../test/e2e/support/xds/ads-client.ts";
import { type BenchedRegistry, instanceAddress } from "./registry.ts";

export interface Flips {
  readonly services: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** Resolves when the flips may begin, after the proxy has its first state. */
  readonly begin?: () => Promise<void>;
}

/** Addresses that no endpoint had before. */
const firstFlip = 1 << 20;
/** A flip that has not arrived after this time counts as lost. */
const patienceMs = 20_000;

/**
 * Milliseconds from the beginning of a write to its response, for each flip. A flip that never arrives is an error,
 * unless the next flip of the same service overtook it.
 */
export async function flipLags(registry: BenchedRegistry, xdsPort: number, flips: Flips): Promise<readonly number[]> {
  const clusters = Array.from({ length: flips.services }, (_, service) => registry.clusterOf(service));
  using endpoints = new TimedEndpoints(xdsPort, clusters);
  await endpoints.first;
  await flips.begin?.();
  const begun: { readonly address: string; readonly at: number }[] = [];
  const writes: Promise<void>[] = [];
  for (let flip = 0; flip < flips.perSecond * flips.seconds; flip += 1) {
    const address = instanceAddress(firstFlip + flip);
    begun.push({ address, at: performance.now() });
    writes.push(registry.flip(flip % flips.services, address));
    await pause(1000 / flips.perSecond);
  }
  await Promise.all(writes);
  const last = begun.slice(-flips.services).map(({ address }) => address);
  const deadline = performance.now() + patienceMs;
  while (!last.every((address) => endpoints.arrivals.has(address))) {
    if (performance.now() > deadline) throw new Error(`flips of ${registry.source} do not arrive`);
    await pause(10);
  }
  return begun.flatMap(({ address, at }) => {
    const arrival = endpoints.arrivals.get(address);
    return arrival === undefined ? [] : arrival - at;
  });
}

/** A proxy that records the first arrival of each address. */
class TimedEndpoints implements Disposable {
  readonly arrivals = new Map<string, number>();
  readonly #client: Client;
  readonly #first = Promise.withResolvers<void>();
  readonly #stop: () => void;

  constructor(port: number, clusters: readonly string[]) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.enable_http_proxy": 0 });
    const call = this.#client.makeBidiStreamRequest(
      delta.path,
      (request: DeltaDiscoveryRequest) => Buffer.from(toBinary(DeltaDiscoveryRequestSchema, request)),
      (bytes: Buffer) => fromBinary(DeltaDiscoveryResponseSchema, bytes),
    );
    call.on("error", (error: Error) => this.#first.reject(error));
    call.on("data", (response: DeltaDiscoveryResponse) => {
      this.#note(response);
      call.write(create(DeltaDiscoveryRequestSchema, { typeUrl: endpointType, responseNonce: response.nonce }));
    });
    const node = { id: sidecarNode.id, metadata: { ...commonMetadata, ...sidecarNode.metadata } };
    const request = { node, typeUrl: endpointType, resourceNamesSubscribe: [...clusters] };
    call.write(create(DeltaDiscoveryRequestSchema, request));
    this.#stop = () => call.cancel();
  }

  get first(): Promise<void> {
    return this.#first.promise;
  }

  [Symbol.dispose](): void {
    this.#stop();
    this.#client.close();
  }

  #note({ resources }: DeltaDiscoveryResponse): void {
    const now = performance.now();
    for (const { resource } of resources) {
      const { endpoints } = fromBinary(ClusterLoadAssignmentSchema, resource?.value ?? new Uint8Array());
      for (const { hostIdentifier } of endpoints.flatMap(({ lbEndpoints }) => lbEndpoints)) {
        const address = hostIdentifier.case === "endpoint" ? hostIdentifier.value.address?.address : undefined;
        if (address?.case !== "socketAddress" || this.arrivals.has(address.value.address)) continue;
        this.arrivals.set(address.value.address, now);
      }
    }
    this.#first.resolve();
  }
}
