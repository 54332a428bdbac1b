import { create, fromBinary, fromJson, type JsonValue, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type RequestResources, RequestResourcesSchema, ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { type Resource, ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import { createMcpSource, type McpSource } from "../../galley/source/mcp/mcp-source.ts";
import type { SinkLimits } from "../../mcp/sink/held-sizes.ts";
import { FakeClock } from "../fake-clock.ts";
import { SourceRecorder } from "../recording/source-recorder.ts";
import { travelling } from "./mcp-object.ts";
import { RecordingSink } from "./mcp-observers.ts";
import { describeRequest } from "./mcp-raw-source.ts";
import { McpWire } from "./mcp-wire.ts";

/** A source that calls a Galley in the test's hands: nothing is answered unless the test does it. */
export class McpSinkRig {
  readonly clock = new FakeClock();
  readonly observer = new RecordingSink();
  readonly heard = new SourceRecorder();
  readonly source: McpSource;
  /** The newest stream. */
  wire = new McpWire();
  #requests: RequestResources[] = [];
  #nonce = 0;

  constructor(collections: readonly string[], limits: SinkLimits = {}) {
    this.source = createMcpSource({
      name: "mcp://test",
      connection: { start: () => Promise.resolve(), stop: () => Promise.resolve(), open: () => this.#open() },
      collections: collections.map(travelling),
      incremental: true,
      limits,
      clock: this.clock,
      random: () => 0.5,
      observer: this.observer,
    });
  }

  static start(...collections: readonly string[]): Promise<McpSinkRig> {
    return McpSinkRig.startWithin({}, collections);
  }

  /** One that keeps no more than these limits of a collection. */
  static async startWithin(limits: SinkLimits, collections: readonly string[]): Promise<McpSinkRig> {
    const rig = new McpSinkRig(collections, limits);
    await rig.source.start(rig.heard.handler);
    return rig;
  }

  /** The requests since the last look. */
  requests(): readonly RequestResources[] {
    this.wire.settle();
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }

  /** The same, told shortly. */
  answers(): readonly string[] {
    return this.requests().map(describeRequest);
  }

  push(message: Omit<MessageInitShape<typeof ResourcesSchema>, "$typeName">): void {
    const nonce = String(++this.#nonce);
    const resources = create(ResourcesSchema, { nonce, systemVersionInfo: `v${nonce}`, ...message });
    this.wire.source.send(toBinary(ResourcesSchema, resources), []);
    this.wire.settle();
  }

  /** The stream ends, and there is another one, to a Galley that knows nothing of the one before. */
  reconnect(): void {
    this.wire.cut();
    this.clock.advance(500);
    this.#nonce = 0;
  }

  #open(): McpWire["sink"] {
    this.wire = new McpWire();
    this.wire.source.attach({
      onMessage: (bytes) => {
        this.#requests.push(fromBinary(RequestResourcesSchema, bytes));
      },
      onFlushed: () => undefined,
      onClose: () => undefined,
    });
    return this.wire.sink;
  }
}

/** A resource as a Galley of Istio's sends it: nothing in it says that it is from a Binnacle. */
export function istioResource(collection: string, name: string, spec: JsonValue, version = "v0"): Resource {
  const { schema } = travelling(collection).kind;
  const body = anyPack(schema, fromJson(schema, spec));
  return create(ResourceSchema, { metadata: { name, version }, body });
}
