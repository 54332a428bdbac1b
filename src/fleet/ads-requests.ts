import { create, type JsonObject, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { DeltaDiscoveryRequestSchema, DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { BoundedMemo } from "../lib/bounded-memo.ts";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import type { PooledResource } from "./resource-pool.ts";
import { type FleetResourceType, typeUrls } from "./fleet-resource-type.ts";
import type { StreamMode, DiscoveryResponse } from "./response.ts";

/** The identity of a proxy: the `node` of its bootstrap. */
export interface ProxyNode {
  readonly id: string;
  readonly cluster: string;
  readonly metadata: JsonObject;
  /** The version of Envoy that the proxy claims to be. Servers send some resources only to versions that take them. */
  readonly envoyVersion?: EnvoyVersion;
}

interface EnvoyVersion {
  readonly majorNumber: number;
  readonly minorNumber: number;
}

/** All resources of a type, or these names. */
export type Wanted = "all" | ReadonlySet<string>;

/** The encoded names of SotW requests. A thousand proxies repeat the same names with every acknowledgement. */
export type NameSections = BoundedMemo<Uint8Array>;

export function createNameSections(): NameSections {
  return new BoundedMemo(256);
}

interface AdsRequestsOptions {
  readonly mode: StreamMode;
  readonly node: ProxyNode;
  readonly nameSections: NameSections;
  readonly send: (bytes: Uint8Array) => void;
}

const nothing: ReadonlySet<string> = new Set();

/**
 * Encodes the requests of one stream, in SotW or delta. It does not interpret resources. Only the first request carries
 * the node.
 */
export class AdsRequests {
  readonly #options: AdsRequestsOptions;
  readonly #asked = new Map<FleetResourceType, Wanted>();
  readonly #sections = new Map<FleetResourceType, Uint8Array>();
  readonly #nonces = new Map<FleetResourceType, string>();
  #introduced = false;

  constructor(options: AdsRequestsOptions) {
    this.#options = options;
  }

  hasAsked(type: FleetResourceType): boolean {
    return this.#asked.has(type);
  }

  /**
   * Requests the wanted names, unless the last request was the same. The values `version` and `held` come from an
   * earlier stream and apply to the first request of a type. Returns true if the server must answer. That is so for new
   * names, and for a request before any answer, because a server cannot tell the difference.
   */
  ask(type: FleetResourceType, wanted: Wanted, version: string, held: ReadonlyMap<string, PooledResource>): boolean {
    const before = this.#asked.get(type);
    const names = wanted === "all" ? nothing : wanted;
    if (before === undefined && wanted !== "all" && names.size === 0) return false;
    const askedBefore = before === undefined || before === "all" ? nothing : before;
    const added = names.difference(askedBefore);
    const dropped = askedBefore.difference(names);
    if (before !== undefined && added.size === 0 && dropped.size === 0) return false;
    this.#asked.set(type, wanted);
    if (this.#options.mode === "sotw") this.#askSotw(type, names, version);
    else this.#askDelta(type, added, dropped, before === undefined ? held : new Map());
    return added.size > 0 || !this.#nonces.has(type);
  }

  /** In SotW, requests the same names again. Delta has no such message. */
  repeat(type: FleetResourceType, version: string): boolean {
    if (this.#options.mode === "delta" || !this.#nonces.has(type)) return false;
    this.#sendSotw(type, version);
    return true;
  }

  /** `version` is the last accepted version: this response's version unless it is rejected. */
  answer({ type, nonce }: DiscoveryResponse, version: string, rejection?: string): void {
    this.#nonces.set(type, nonce);
    const errorDetail =
      rejection === undefined ? {} : { errorDetail: { code: GrpcStatus.INVALID_ARGUMENT, message: rejection } };
    if (this.#options.mode === "sotw") this.#sendSotw(type, version, errorDetail);
    else this.#sendDelta({ typeUrl: typeUrls[type], responseNonce: nonce, ...errorDetail });
  }

  #askSotw(type: FleetResourceType, names: ReadonlySet<string>, version: string): void {
    const resourceNames = [...names];
    const section = this.#options.nameSections.get(resourceNames.join("\n"), () =>
      toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, { resourceNames })),
    );
    this.#sections.set(type, section);
    this.#sendSotw(type, version);
  }

  #askDelta(
    type: FleetResourceType,
    added: ReadonlySet<string>,
    dropped: ReadonlySet<string>,
    held: ReadonlyMap<string, PooledResource>,
  ): void {
    this.#sendDelta({
      typeUrl: typeUrls[type],
      resourceNamesSubscribe: [...added],
      resourceNamesUnsubscribe: [...dropped],
      initialResourceVersions: Object.fromEntries(held.entries().map(([name, resource]) => [name, resource.version])),
    });
  }

  /** The parts of a message may be encoded separately and joined. */
  #sendSotw(
    type: FleetResourceType,
    versionInfo: string,
    rest: { errorDetail?: { code: number; message: string } } = {},
  ): void {
    const responseNonce = this.#nonces.get(type) ?? "";
    const head = { typeUrl: typeUrls[type], responseNonce, versionInfo, ...this.#introduction(), ...rest };
    const bytes = toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, head));
    this.#options.send(Buffer.concat([bytes, this.#sections.get(type) ?? new Uint8Array()]));
  }

  #sendDelta(init: Exclude<MessageInitShape<typeof DeltaDiscoveryRequestSchema>, { $typeName: string }>): void {
    const message = create(DeltaDiscoveryRequestSchema, { ...init, ...this.#introduction() });
    this.#options.send(toBinary(DeltaDiscoveryRequestSchema, message));
  }

  #introduction(): { node?: MessageInitShape<typeof NodeSchema> } {
    if (this.#introduced) return {};
    this.#introduced = true;
    const { envoyVersion: version, ...node } = this.#options.node;
    if (version === undefined) return { node };
    const userAgentVersionType = { case: "userAgentBuildVersion", value: { version } } as const;
    return { node: { ...node, userAgentName: "envoy", userAgentVersionType } };
  }
}
