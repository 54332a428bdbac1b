import { create, fromBinary, type JsonObject, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Client } from "../../xds/resource-source.ts";
import { clusterType, listenerType } from "../../xds/type-urls.ts";
import type { XdsServer } from "../../xds/xds-server.ts";
import { streamPair, type TestClientStream } from "../stream/stream-pair.ts";

/**
 * How a real Envoy refuses a resource. `unreadable`: the message breaks a rule of its description, and nothing of the
 * response is applied. `inapplicable`: it shows when the resource is applied, and some others of the response are.
 */
export type Poison = "unreadable" | "inapplicable";

/** What the model looks at in a resource. */
export interface Content {
  /** True for a cluster that takes its endpoints over EDS. */
  readonly awaitsEndpoints?: boolean;
  /** The route configurations a listener takes over RDS. */
  readonly routes?: readonly string[];
  /** The clusters a route configuration, or a listener by itself, sends traffic to. */
  readonly clusters?: readonly string[];
  /** True for a load assignment without endpoints. */
  readonly empty?: boolean;
  /** Why the client refuses it, if it does. */
  readonly poison?: Poison | undefined;
  /** Everything else a test may want to compare. */
  readonly text: string;
}

/** Opens the value of a resource's Any. */
export type ReadResource = (typeUrl: string, value: Uint8Array) => { readonly name: string; readonly content: Content };

export interface Held {
  readonly version: string;
  readonly content: Content;
}

/** One response, whichever protocol it came by. */
export interface Response {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: ReadonlyMap<string, Held>;
  /** What is taken away: by name, or by being left out. */
  readonly removed: readonly string[] | "unlisted";
}

/** Where a stream is opened. */
export type AdsServer = Pick<XdsServer<Client>, "serve">;

interface ModelStreamOptions {
  readonly mode: "sotw" | "delta";
  readonly nodeId: string;
  readonly metadata: JsonObject;
  readonly readResource: ReadResource;
  readonly server: AdsServer;
}

/** One stream of a model client, in either protocol: it asks, repeats, answers and reads, and knows no meaning. */
export class ModelStream {
  readonly client: TestClientStream;
  readonly #options: ModelStreamOptions;
  readonly #asked = new Map<string, ReadonlySet<string>>();
  readonly #nonces = new Map<string, string>();
  readonly #returning = new Set<string>();
  #read = 0;
  #introduced = false;

  constructor(options: ModelStreamOptions) {
    const { server: stream, client } = streamPair();
    this.client = client;
    this.#options = options;
    options.server.serve(stream, { mode: options.mode });
  }

  hasAsked(typeUrl: string): boolean {
    return this.#asked.has(typeUrl);
  }

  /** Asks for what is wanted and not yet asked for; `held` counts for the first request of a type. */
  subscribe(typeUrl: string, wanted: Iterable<string>, held: ReadonlyMap<string, Held>): void {
    const names = new Set(wanted);
    const before = this.#asked.get(typeUrl);
    if (before === undefined && names.size === 0 && !isListed(typeUrl)) return;
    const added = names.difference(before ?? new Set());
    const dropped = (before ?? new Set<string>()).difference(names);
    if (before !== undefined && added.size === 0 && dropped.size === 0) return;
    this.#asked.set(typeUrl, names);
    if (held.size > 0) this.#returning.add(typeUrl);
    // A client that has a response to answer says what it wants with that answer, be it yes or no.
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

  /** In SotW, asks once more for what it already has, if that is what it wants; in delta there is no such message. */
  repeat(typeUrl: string, wanted: ReadonlySet<string>): void {
    const unchanged = this.#asked.get(typeUrl)?.symmetricDifference(wanted).size === 0;
    if (this.#options.mode === "sotw" && unchanged && this.#nonces.has(typeUrl)) this.#sendSotw(typeUrl);
  }

  /** Accepts a response, or rejects it for a reason. */
  answer({ typeUrl, nonce }: Response, error?: string): void {
    const errorDetail = error === undefined ? {} : { errorDetail: { code: 3, message: error } };
    if (this.#options.mode === "sotw") this.#sendSotw(typeUrl, errorDetail);
    else this.#sendDelta({ typeUrl, responseNonce: nonce, ...errorDetail });
  }

  /** The next response, if there is one. */
  next(): Response | undefined {
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
    const resourceNames = isListed(typeUrl) ? [] : [...(this.#asked.get(typeUrl) ?? [])];
    const responseNonce = this.#nonces.get(typeUrl) ?? "";
    // What version it is is of no interest to a server, but that there is one is.
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
    const { nodeId: id, metadata } = this.#options;
    return { node: { id, metadata } };
  }

  #readSotw(bytes: Uint8Array): Response {
    const { typeUrl, nonce, resources } = fromBinary(DiscoveryResponseSchema, bytes);
    const read = resources.map(({ value }) => {
      const { name, content } = this.#options.readResource(typeUrl, value);
      return [name, { version: content.text, content }] as const;
    });
    return { typeUrl, nonce, resources: new Map(read), removed: isListed(typeUrl) ? "unlisted" : [] };
  }

  #readDelta(bytes: Uint8Array): Response {
    const { typeUrl, nonce, resources, removedResources } = fromBinary(DeltaDiscoveryResponseSchema, bytes);
    const read = resources.map(({ name, version, resource }) => {
      const { content } = this.#options.readResource(typeUrl, resource?.value ?? new Uint8Array());
      return [name, { version, content }] as const;
    });
    return { typeUrl, nonce, resources: new Map(read), removed: removedResources };
  }
}

/** Types that are asked for as a whole, and whose SotW responses list everything there is. */
function isListed(typeUrl: string): boolean {
  return typeUrl === clusterType || typeUrl === listenerType;
}
