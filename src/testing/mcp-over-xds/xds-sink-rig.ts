import { create, fromBinary, type JsonValue, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import { createXdsSource, type XdsSource } from "../../galley/source/xds/xds-source.ts";
import { envelopeOf } from "../../mcp/envelope/encode-resource.ts";
import type { SinkLimits } from "../../mcp/sink/held-sizes.ts";
import { ownMetadata } from "../../mcp/xds/config-client.ts";
import type { Mode } from "../../xds/mode.ts";
import { FakeClock } from "../fake-clock.ts";
import { mcpObject, travelling } from "../mcp/mcp-object.ts";
import { RecordingSink } from "../mcp/mcp-observers.ts";
import { istioResource } from "../mcp/mcp-sink-rig.ts";
import { McpWire } from "../mcp/mcp-wire.ts";
import { SourceRecorder } from "../recording/source-recorder.ts";

export const envelope = "type.googleapis.com/istio.mcp.v1alpha1.Resource";

interface XdsSettings {
  readonly takesSynthetic?: boolean;
  readonly revision?: string;
  readonly limits?: SinkLimits;
}

/** A request of either protocol. A field that the protocol lacks is absent. */
type AnyRequest = Omit<DiscoveryRequest, "$typeName"> & Omit<DeltaDiscoveryRequest, "$typeName">;

/** A source that reads from a server under control of the test: the test sends every response. */
export class XdsSinkRig {
  readonly clock = new FakeClock();
  readonly observer = new RecordingSink();
  readonly heard = new SourceRecorder();
  readonly source: XdsSource;
  readonly mode: Mode;
  /** The newest stream. */
  wire = new McpWire();
  dials = 0;
  /** The value of every random number. */
  chance = 0.5;
  #requests: AnyRequest[] = [];

  constructor(mode: Mode, collections: readonly string[], settings: XdsSettings = {}) {
    this.mode = mode;
    this.source = createXdsSource({
      name: "xds://test",
      mode,
      connection: { start: () => Promise.resolve(), stop: () => Promise.resolve(), open: () => this.#open() },
      node: { id: "sidecar~127.0.0.1~a.b~b.svc.cluster.local", metadata: ownMetadata },
      collections: collections.map(travelling),
      takesSynthetic: settings.takesSynthetic ?? false,
      revision: settings.revision,
      limits: settings.limits ?? {},
      resyncMs: 30_000,
      clock: this.clock,
      random: () => this.chance,
      observer: this.observer,
    });
  }

  static async start(...args: ConstructorParameters<typeof XdsSinkRig>): Promise<XdsSinkRig> {
    const rig = new XdsSinkRig(...args);
    await rig.source.start(rig.heard.handler);
    return rig;
  }

  /** The requests since the last call. */
  requests(): readonly AnyRequest[] {
    this.wire.settle();
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }

  respond(init: MessageInitShape<typeof DiscoveryResponseSchema>): void {
    this.wire.source.send(toBinary(DiscoveryResponseSchema, create(DiscoveryResponseSchema, init)), []);
    this.wire.settle();
  }

  respondDelta(init: MessageInitShape<typeof DeltaDiscoveryResponseSchema>): void {
    this.wire.source.send(toBinary(DeltaDiscoveryResponseSchema, create(DeltaDiscoveryResponseSchema, init)), []);
    this.wire.settle();
  }

  #open(): McpWire["sink"] {
    this.dials++;
    this.wire = new McpWire();
    const schema = this.mode === "sotw" ? DiscoveryRequestSchema : DeltaDiscoveryRequestSchema;
    this.wire.source.attach({
      onMessage: (bytes) => {
        this.#requests.push(fromBinary(schema, bytes) as unknown as AnyRequest);
      },
      onFlushed: () => undefined,
      onClose: () => undefined,
    });
    return this.wire.sink;
  }
}

/** An object in its wire form, under a name. */
export function resource(collection: string, name: string, content = "1", labels = {}): Any {
  const row = travelling(collection);
  const value = envelopeOf({ ...mcpObject(row, name, content), labels }, row, name);
  return create(AnySchema, { typeUrl: envelope, value });
}

/** An object in the form in which an Istio server sends it. */
export function istioEnvelope(collection: string, name: string, spec: JsonValue): Any {
  const value = toBinary(ResourceSchema, istioResource(collection, name, spec));
  return create(AnySchema, { typeUrl: envelope, value });
}
