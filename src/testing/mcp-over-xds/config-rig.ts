import { create, fromBinary, type JsonObject, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import type {
  DeltaDiscoveryRequestSchema,
  DiscoveryRequestSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { type Resource, ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import type { Peer } from "../../lib/grpc/grpc-stream.ts";
import { ConfigServer } from "../../mcp/xds/config-server.ts";
import { FakeClock } from "../fake-clock.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { deltaClient, sotwClient } from "../stream/asking-client.ts";
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
    const { server, client } = this.#open("sotw");
    const { ask, read } = sotwClient(client);
    let node: SotwInit["node"] = nodeWith(metadata);
    const introduced = (init: SotwInit) => {
      ask({ node, ...init });
      node = undefined;
    };
    return { client, stream: server, say: ask, ask: introduced, read };
  }

  delta(metadata: JsonObject = {}) {
    const { server, client } = this.#open("delta");
    const { ask, read } = deltaClient(client);
    let node: DeltaInit["node"] = nodeWith(metadata);
    const introduced = (init: DeltaInit) => {
      ask({ node, ...init });
      node = undefined;
    };
    return { client, stream: server, ask: introduced, read };
  }

  #open(mode: "sotw" | "delta") {
    const pair = streamPair();
    this.server.serve(pair.server, { mode });
    return pair;
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
