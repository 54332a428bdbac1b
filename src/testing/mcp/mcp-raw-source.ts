import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type RequestResources,
  RequestResourcesSchema,
  type Resources,
  ResourcesSchema,
} from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import { encodeResource } from "../../mcp/envelope/encode-resource.ts";
import type { Sink } from "../../mcp/sink/sink.ts";
import { type StreamEnd, streamPair, type TestClientStream } from "../stream/stream-pair.ts";
import { mcpObject, travelling } from "./mcp-object.ts";

/** A source that says what a test makes it say, to a sink that it dialled. */
export class RawSource {
  readonly stream: TestClientStream;
  #nonce = 0;

  constructor(sink: Sink) {
    const { server, client } = streamPair();
    this.stream = client;
    sink.attach(server);
  }

  get requests(): readonly RequestResources[] {
    return this.stream.received.map((bytes) => fromBinary(RequestResourcesSchema, bytes));
  }

  /** The last request, told shortly. */
  get answer(): string {
    return describeRequest(this.requests.at(-1));
  }

  get status(): StreamEnd | undefined {
    return this.stream.status;
  }

  /** A whole collection, as objects by key with their content. */
  full(collection: string, objects: Readonly<Record<string, string>>, more: Partial<Resources> = {}): void {
    this.push({ collection, resources: resourcesOf(collection, objects), ...more });
  }

  delta(collection: string, objects: Readonly<Record<string, string>>, removedResources: string[] = []): void {
    this.push({ collection, resources: resourcesOf(collection, objects), removedResources, incremental: true });
  }

  push(message: Omit<MessageInitShape<typeof ResourcesSchema>, "$typeName">): void {
    const nonce = String(++this.#nonce);
    const resources = create(ResourcesSchema, { nonce, systemVersionInfo: `v${nonce}`, ...message });
    this.stream.send(toBinary(ResourcesSchema, resources));
  }
}

export function resourcesOf(collection: string, objects: Readonly<Record<string, string>>) {
  return Object.entries(objects).map(([key, content]) => {
    const row = travelling(collection);
    return fromBinary(ResourceSchema, encodeResource(mcpObject(row, key, content), row));
  });
}

/** `collection 7 ack`, `collection 7 nack 3 delta`, `collection subscribes`. */
export function describeRequest(request: RequestResources | undefined): string {
  if (request === undefined) return "nothing";
  const { collection, responseNonce, errorDetail, incremental } = request;
  const said = errorDetail === undefined ? "ack" : `nack ${errorDetail.code}`;
  const short = collection.slice(collection.lastIndexOf("/") + 1);
  return `${short} ${responseNonce === "" ? "subscribes" : `${responseNonce} ${said}`}${incremental ? " delta" : ""}`;
}
