import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  credentials,
  type Metadata,
  type StatusObject,
} from "@grpc/grpc-js";
import {
  type RequestResources,
  RequestResourcesSchema,
  type Resources,
  ResourcesSchema,
} from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { resourceSourcePath } from "../../../../src/app/mcp/mcp-paths.ts";
import { eventually } from "../../../../src/testing/eventually.ts";

type Request = Omit<MessageInitShape<typeof RequestResourcesSchema>, "$typeName">;

/** The collections that the real Pilot of Istio 1.3.6 requests. */
export const pilotCollections: readonly string[] = [
  "istio/authentication/v1alpha1/meshpolicies",
  "istio/authentication/v1alpha1/policies",
  "istio/config/v1alpha2/httpapispecbindings",
  "istio/config/v1alpha2/httpapispecs",
  "istio/mixer/v1/config/client/quotaspecbindings",
  "istio/mixer/v1/config/client/quotaspecs",
  "istio/networking/v1alpha3/destinationrules",
  "istio/networking/v1alpha3/envoyfilters",
  "istio/networking/v1alpha3/gateways",
  "istio/networking/v1alpha3/serviceentries",
  "istio/networking/v1alpha3/sidecars",
  "istio/networking/v1alpha3/virtualservices",
  "istio/rbac/v1alpha1/clusterrbacconfigs",
  "istio/rbac/v1alpha1/rbacconfigs",
  "istio/rbac/v1alpha1/servicerolebindings",
  "istio/rbac/v1alpha1/serviceroles",
];

export const requestBytes = (request: RequestResources) => Buffer.from(toBinary(RequestResourcesSchema, request));
export const pushOf = (bytes: Buffer) => fromBinary(ResourcesSchema, bytes);
export const pushBytes = (push: Resources) => Buffer.from(toBinary(ResourcesSchema, push));
export const requestOf = (bytes: Buffer) => fromBinary(RequestResourcesSchema, bytes);

/** A sink like the real Pilot, on a stock gRPC library: full states, no name, 4 MiB at most. */
export class StockSink implements Disposable {
  readonly pushes: Resources[] = [];
  readonly ended: Promise<StatusObject>;
  readonly headers: Promise<Metadata>;
  readonly #client: Client;
  readonly #call: ClientDuplexStream<RequestResources, Resources>;
  readonly #rejects: ReadonlySet<string>;
  /** The names and versions that the sink holds, by collection. */
  readonly #held = new Map<string, ReadonlyMap<string, string>>();

  /** Accepts all pushes, except for collections that it always rejects. */
  constructor(port: number, { shown = credentials.createInsecure(), rejects = [] }: SinkOptions = {}) {
    this.#rejects = new Set(rejects);
    this.#client = new Client(`127.0.0.1:${port}`, shown, { "grpc.max_receive_message_length": 4 << 20 });
    this.#call = this.#client.makeBidiStreamRequest(resourceSourcePath, requestBytes, pushOf);
    this.#call.on("data", (push: Resources) => this.#take(push));
    this.#call.on("error", () => undefined);
    this.ended = new Promise((resolve) => this.#call.once("status", resolve));
    this.headers = new Promise((resolve) => this.#call.once("metadata", resolve));
  }

  /** Subscribes to all collections before it reads anything. */
  subscribe(collections = pilotCollections): this {
    for (const collection of collections) this.say({ collection });
    return this;
  }

  say(request: Request): void {
    this.#call.write(create(RequestResourcesSchema, { sinkNode: {}, ...request }));
  }

  stall(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  /** The collections with a response. */
  get answered(): ReadonlySet<string> {
    return new Set(this.#held.keys());
  }

  names(collection: string): readonly string[] {
    return [...(this.#held.get(collection)?.keys() ?? [])];
  }

  async until(what: string, holds: (sink: this) => boolean): Promise<void> {
    await eventually(`a sink ${what}`, () => holds(this), { seconds: 20 });
  }

  [Symbol.dispose](): void {
    this.#call.cancel();
    this.#client.close();
  }

  #take(push: Resources): void {
    this.pushes.push(push);
    const { collection, nonce } = push;
    if (this.#rejects.has(collection)) {
      return this.say({ collection, responseNonce: nonce, errorDetail: { code: 3, message: "never" } });
    }
    const versions = push.resources.map(({ metadata }) => [metadata?.name ?? "", metadata?.version ?? ""] as const);
    this.#held.set(collection, new Map(versions));
    this.say({ collection, responseNonce: nonce });
  }
}

interface SinkOptions {
  readonly shown?: ChannelCredentials;
  readonly rejects?: readonly string[];
}
