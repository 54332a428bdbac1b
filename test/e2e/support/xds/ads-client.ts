import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ChannelCredentials } from "@grpc/grpc-js";
import type { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import {
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Bound } from "../../../../src/testing/eventually.ts";
import { commonMetadata, type EnvoyNode } from "../envoy/bootstrap.ts";
import { AdsStream } from "./ads-stream.ts";

const service = "/envoy.service.discovery.v3.AggregatedDiscoveryService";
export const sotw = {
  path: `${service}/StreamAggregatedResources`,
  request: DiscoveryRequestSchema,
  response: DiscoveryResponseSchema,
};
export const delta = {
  path: `${service}/DeltaAggregatedResources`,
  request: DeltaDiscoveryRequestSchema,
  response: DeltaDiscoveryResponseSchema,
};

/** A state-of-the-world client that does as it is told: nothing is acknowledged unless the test does it. */
export class SotwClient implements Disposable {
  readonly stream: AdsStream<typeof DiscoveryRequestSchema, typeof DiscoveryResponseSchema>;
  readonly #introduction: Introduction;
  readonly #names = new Map<string, readonly string[]>();
  readonly #accepted = new Map<string, string>();

  constructor(port: number, node: EnvoyNode, shown?: ChannelCredentials) {
    this.stream = new AdsStream(port, sotw, shown);
    this.#introduction = introduce(node);
  }

  /** Asks for the named resources, or for all of the type. Replaces what was asked before. */
  subscribe(typeUrl: string, resourceNames: readonly string[] = []): void {
    this.#names.set(typeUrl, resourceNames);
    this.#request(typeUrl, {});
  }

  next(typeUrl: string, bound?: Bound): Promise<DiscoveryResponse> {
    return this.stream.next(typeUrl, bound);
  }

  ack({ typeUrl, nonce, versionInfo }: DiscoveryResponse): void {
    this.#accepted.set(typeUrl, versionInfo);
    this.#request(typeUrl, { responseNonce: nonce });
  }

  nack({ typeUrl, nonce }: DiscoveryResponse, message: string): void {
    this.#request(typeUrl, { responseNonce: nonce, errorDetail: { code: invalidArgument, message } });
  }

  [Symbol.dispose](): void {
    this.stream[Symbol.dispose]();
  }

  #request(typeUrl: string, answer: { responseNonce?: string; errorDetail?: { code: number; message: string } }): void {
    const resourceNames = [...(this.#names.get(typeUrl) ?? [])];
    const versionInfo = this.#accepted.get(typeUrl) ?? "";
    this.stream.send({ ...this.#introduction(), typeUrl, resourceNames, versionInfo, ...answer });
  }
}

/** An incremental client that does as it is told. */
export class DeltaClient implements Disposable {
  readonly stream: AdsStream<typeof DeltaDiscoveryRequestSchema, typeof DeltaDiscoveryResponseSchema>;
  readonly #introduction: Introduction;

  constructor(port: number, node: EnvoyNode, shown?: ChannelCredentials) {
    this.stream = new AdsStream(port, delta, shown);
    this.#introduction = introduce(node);
  }

  /** Asks for the named resources too (none: the legacy wildcard); `held` are versions of an earlier stream. */
  subscribe(typeUrl: string, names: readonly string[] = [], held: Readonly<Record<string, string>> = {}): void {
    const request = { resourceNamesSubscribe: [...names], initialResourceVersions: { ...held } };
    this.stream.send({ ...this.#introduction(), typeUrl, ...request });
  }

  unsubscribe(typeUrl: string, names: readonly string[]): void {
    this.stream.send({ ...this.#introduction(), typeUrl, resourceNamesUnsubscribe: [...names] });
  }

  next(typeUrl: string, bound?: Bound): Promise<DeltaDiscoveryResponse> {
    return this.stream.next(typeUrl, bound);
  }

  ack({ typeUrl, nonce }: DeltaDiscoveryResponse): void {
    this.stream.send({ ...this.#introduction(), typeUrl, responseNonce: nonce });
  }

  nack({ typeUrl, nonce }: DeltaDiscoveryResponse, message: string): void {
    const errorDetail = { code: invalidArgument, message };
    this.stream.send({ ...this.#introduction(), typeUrl, responseNonce: nonce, errorDetail });
  }

  [Symbol.dispose](): void {
    this.stream[Symbol.dispose]();
  }
}

const invalidArgument = 3;

/** The node of the first request; the ones after it carry none, as Envoy's do. */
type Introduction = () => { node?: MessageInitShape<typeof NodeSchema> };

function introduce({ id, metadata, envoyVersion: version }: EnvoyNode): Introduction {
  let introduced = false;
  return () => {
    if (introduced) return {};
    introduced = true;
    const node = { id, cluster: "test", metadata: { ...commonMetadata, ...metadata } };
    if (version === undefined) return { node };
    const userAgentVersionType = { case: "userAgentBuildVersion", value: { version } } as const;
    return { node: { ...node, userAgentName: "envoy", userAgentVersionType } };
  };
}
