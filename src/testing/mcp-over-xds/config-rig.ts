import { create, fromBinary, type JsonObject, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { type Resource, ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import type { Peer } from "../../lib/grpc-stream.ts";
import { ConfigServer } from "../../mcp/xds/config-server.ts";
import { FakeClock } from "../fake-clock.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { streamPair } from "../stream/stream-pair.ts";
import { ConfigWorld } from "./config-world.ts";

type SotwInit = Exclude<MessageInitShape<typeof DiscoveryRequestSchema>, { $typeName: string }>;
type DeltaInit = Exclude<MessageInitShape<typeof DeltaDiscoveryRequestSchema>, { $typeName: string }>;

interface ConfigRigOptions {
  readonly world: ConfigWorld;
  readonly mayRead: (peer: Peer) => boolean;
}

/** MCP over xDS on a world of objects, without sockets and with time in the test's hands. */
export class ConfigRig {
  readonly clock = new FakeClock();
  readonly observer = new RecordingObserver();
  readonly world: ConfigWorld;
  readonly server: ConfigServer;
  readonly refused: string[] = [];

  constructor({ world = new ConfigWorld(), mayRead = () => true }: Partial<ConfigRigOptions> = {}) {
    this.world = world;
    this.server = new ConfigServer({
      cache: world.cache,
      clock: this.clock,
      observer: this.observer,
      domain: "cluster.local",
      mayRead,
      ackTimeoutMs: 10_000,
      onRefused: (_collection, { message }) => this.refused.push(message),
    });
  }

  sotw(metadata: JsonObject = {}) {
    const { stream, client, news } = this.#open("sotw");
    let node: SotwInit["node"] = nodeWith(metadata);
    const say = (message: DiscoveryRequest) => client.send(toBinary(DiscoveryRequestSchema, message));
    return {
      client,
      stream,
      say,
      ask: (init: SotwInit) => {
        say(create(DiscoveryRequestSchema, { node, ...init }));
        node = undefined;
      },
      read: () => news().map((bytes) => fromBinary(DiscoveryResponseSchema, bytes)),
    };
  }

  delta(metadata: JsonObject = {}) {
    const { stream, client, news } = this.#open("delta");
    let node: DeltaInit["node"] = nodeWith(metadata);
    return {
      client,
      stream,
      ask: (init: DeltaInit) => {
        client.send(toBinary(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, { node, ...init })));
        node = undefined;
      },
      read: () => news().map((bytes) => fromBinary(DeltaDiscoveryResponseSchema, bytes)),
    };
  }

  #open(mode: "sotw" | "delta") {
    const { server, client } = streamPair();
    this.server.serve(server, { mode });
    let seen = 0;
    const news = () => {
      const fresh = client.received.slice(seen);
      seen = client.received.length;
      return fresh;
    };
    return { stream: server, client, news };
  }
}

function nodeWith(metadata: JsonObject) {
  const id = "sidecar~10.0.0.2~istiod-0.istio-system~istio-system.svc.cluster.local";
  return { id, metadata: { GENERATOR: "api", ...metadata } };
}

/** A node that says this of itself, as it travels. */
export function nodeBytes(metadata: JsonObject): Uint8Array {
  return toBinary(NodeSchema, create(NodeSchema, { id: "a", metadata }));
}

/** The envelopes in a response's resources. */
export function envelopesIn(
  resources: readonly { readonly typeUrl: string; readonly value: Uint8Array }[],
): Resource[] {
  return resources.map((any) => fromBinary(ResourceSchema, any.value));
}
