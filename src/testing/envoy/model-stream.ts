import { create, fromBinary, type JsonObject, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Peer } from "../../lib/grpc/grpc-stream.ts";
import type { Client } from "../../xds/resource-source.ts";
import { clusterType, listenerType, virtualHostType } from "../../xds/type-urls.ts";
import type { XdsServer } from "../../xds/xds-server.ts";
import { streamPair, type TestClientStream } from "../stream/stream-pair.ts";

/**
 * How a real Envoy rejects a resource. The value `unreadable`: the message breaks a validation rule of its proto, and
 * Envoy applies nothing of the response. The value `inapplicable`: Envoy fails while it applies the resource, and
 * applies some others of the response.
 */
export type Poison = "unreadable" | "inapplicable";

/** The parts of a resource that the model reads. */
export interface Content {
  /** True for a cluster that gets its endpoints over EDS. */
  readonly awaitsEndpoints?: boolean;
  /** The route configurations that a listener gets over RDS. */
  readonly routes?: readonly string[];
  /** True for a route configuration that gets virtual hosts over VHDS. */
  readonly awaitsHosts?: boolean;
  /** The clusters to which a virtual host, a route configuration, or a listener by itself, sends traffic. */
  readonly clusters?: readonly string[];
  /** True for a load assignment without endpoints. */
  readonly empty?: boolean;
  /** The way in which the client rejects the resource, if it does. */
  readonly poison?: Poison | undefined;
  /** The secrets and extensions that a cluster or a listener gets over SDS and ECDS, by type URL. */
  readonly beside?: ReadonlyMap<string, readonly string[]>;
  /** Everything else a test may want to compare. */
  readonly text: string;
}

/** Opens the value of a resource's Any. */
export type ReadResource = (typeUrl: string, value: Uint8Array) => { readonly name: string; readonly content: Content };

export interface HeldResource {
  readonly version: string;
  readonly content: Content;
}

/** One response, of either protocol. */
export interface ModelResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: ReadonlyMap<string, HeldResource>;
  /** Removed resources: listed by name, or `unlisted` if removal means absence. */
  readonly removed: readonly string[] | "unlisted";
}

/** The server where a client opens a stream. */
export type AdsServer = Pick<XdsServer<Client>, "serve">;

interface ModelStreamOptions {
  readonly mode: "sotw" | "delta";
  readonly nodeId: string;
  readonly metadata: JsonObject;
  /** The minor release of Envoy 1 that the client says it is. */
  readonly minor?: number | undefined;
  readonly locality?: { readonly region: string; readonly zone: string };
  readonly peer?: Peer;
  readonly readResource: ReadResource;
  readonly server: AdsServer;
}

/**
 * One stream of a model client, in either protocol. It subscribes, repeats, answers and reads, and does not interpret
 * resources.
 */
export class ModelStream {
  readonly client: TestClientStream;
  readonly #options: ModelStreamOptions;
  readonly #asked = new Map<string, ReadonlySet<string>>();
  readonly #nonces = new Map<string, string>();
  readonly #returning = new Set<string>();
  #read = 0;
  #introduced = false;

  constructor(options: ModelStreamOptions) {
    const { server: stream, client } = streamPair(options.peer);
    this.client = client;
    this.#options = options;
    options.server.serve(stream, { mode: options.mode });
  }

  hasAsked(typeUrl: string): boolean {
    return this.#asked.has(typeUrl);
  }

  /** Subscribes to wanted names without a subscription. `held` matters for the first request of a type. */
  subscribe(typeUrl: string, wanted: Iterable<string>, held: ReadonlyMap<string, HeldResource>): void {
    const names = new Set(wanted);
    const before = this.#asked.get(typeUrl);
    if (before === undefined && names.size === 0 && !isListed(typeUrl)) return;
    const added = names.difference(before ?? new Set());
    const dropped = (before ?? new Set<string>()).difference(names);
    if (before !== undefined && added.size === 0 && dropped.size === 0) return;
    this.#asked.set(typeUrl, names);
    if (held.size > 0) this.#returning.add(typeUrl);
    // A client with an unanswered response adds its subscription to that answer, ACK or NACK.
    if (this.#options.mode === "sotw" && before !== undefined && this.#hasUnread(typeUrl)) return;
    if (this.#options.mode === "sotw") return this.#sendSotw(typeUrl);
    const versions = before === undefined ? Array.from(held, ([name, { version }]) => [name, version] as const) : [];
    this.#sendDelta({
      typeUrl,
      resourceNamesSubscribe: [...added],
      resourceNamesUnsubscribe: [...dropped],
      initialResourceVersions: Object.fromEntries(versions),
    });
  }

  /** In SotW, repeats the current subscription if it equals `wanted`. Delta has no such message. */
  repeat(typeUrl: string, wanted: ReadonlySet<string>): void {
    const unchanged = this.#asked.get(typeUrl)?.symmetricDifference(wanted).size === 0;
    if (this.#options.mode === "sotw" && unchanged && this.#nonces.has(typeUrl)) this.#sendSotw(typeUrl);
  }

  /** Accepts a response, or rejects it for a reason. */
  answer({ typeUrl, nonce }: ModelResponse, error?: string): void {
    const errorDetail = error === undefined ? {} : { errorDetail: { code: 3, message: error } };
    if (this.#options.mode === "sotw") this.#sendSotw(typeUrl, errorDetail);
    else this.#sendDelta({ typeUrl, responseNonce: nonce, ...errorDetail });
  }

  /** The next response, if there is one. */
  next(): ModelResponse | undefined {
    const bytes = this.client.received[this.#read];
    if (bytes === undefined) return undefined;
    this.#read++;
    const response = this.#options.mode === "sotw" ? this.#readSotw(bytes) : this.#readDelta(bytes);
    this.#nonces.set(response.typeUrl, response.nonce);
    return response;
  }

  #hasUnread(typeUrl: string): boolean {
    const unread = this.client.received.slice(this.#read);
    return unread.some((bytes) => fromBinary(DiscoveryResponseSchema, bytes).typeUrl === typeUrl);
  }

  #sendSotw(typeUrl: string, extra: { errorDetail?: { code: number; message: string } } = {}): void {
    const resourceNames = [...(this.#asked.get(typeUrl) ?? [])];
    const responseNonce = this.#nonces.get(typeUrl) ?? "";
    // The server ignores which version this is, but not whether there is one.
    const versionInfo = this.#returning.has(typeUrl) ? "earlier" : "";
    const init = { typeUrl, versionInfo, resourceNames, responseNonce, ...this.#introduction(), ...extra };
    this.client.send(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init)));
  }

  #sendDelta(init: Exclude<MessageInitShape<typeof DeltaDiscoveryRequestSchema>, { $typeName: string }>): void {
    const message = create(DeltaDiscoveryRequestSchema, { ...init, ...this.#introduction() });
    this.client.send(toBinary(DeltaDiscoveryRequestSchema, message));
  }

  #introduction() {
    if (this.#introduced) return {};
    this.#introduced = true;
    const { nodeId: id, metadata, minor, locality } = this.#options;
    const version = { version: { majorNumber: 1, minorNumber: minor ?? 0 } };
    const build = { userAgentVersionType: { case: "userAgentBuildVersion" as const, value: version } };
    return { node: { id, metadata, ...(locality && { locality }), ...(minor !== undefined && build) } };
  }

  #readSotw(bytes: Uint8Array): ModelResponse {
    const { typeUrl, nonce, resources } = fromBinary(DiscoveryResponseSchema, bytes);
    const read = resources.map(({ value }) => {
      const { name, content } = this.#options.readResource(typeUrl, value);
      return [name, { version: content.text, content }] as const;
    });
    return { typeUrl, nonce, resources: new Map(read), removed: isListed(typeUrl) ? "unlisted" : [] };
  }

  #readDelta(bytes: Uint8Array): ModelResponse {
    const { typeUrl, nonce, resources, removedResources } = fromBinary(DeltaDiscoveryResponseSchema, bytes);
    const read = resources.map(({ name, version, resource }) => {
      const { content } = this.#options.readResource(typeUrl, resource?.value ?? new Uint8Array());
      return [name, { version, content }] as const;
    });
    return { typeUrl, nonce, resources: new Map(read), removed: removedResources };
  }
}

/** Types whose SotW responses list all resources that a client wants. Without names it wants all. */
function isListed(typeUrl: string): boolean {
  return typeUrl === clusterType || typeUrl === listenerType || typeUrl === virtualHostType;
}
