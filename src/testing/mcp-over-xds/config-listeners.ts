import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { DiscoveryRequestSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { ReceivedState } from "../../galley/source/remote/received-state.ts";
import { ownMetadata } from "../../mcp/xds/config-client.ts";
import { XdsSink } from "../../mcp/xds/sink/xds-sink.ts";
import type { Mode } from "../../xds/mode.ts";
import type { FakeClock } from "../fake-clock.ts";
import { travelling } from "../mcp/mcp-object.ts";
import { RecordingSink } from "../mcp/mcp-observers.ts";
import { gateways, rules, serviceEntries } from "../mcp/mcp-source-rig.ts";
import type { McpWire } from "../mcp/mcp-wire.ts";
import { SourceRecorder } from "../recording/source-recorder.ts";
import { IstiodStore } from "./istiod-store.ts";

/** The collections that both listeners accept. Our own sinks receive Services in another form. */
const collections = [gateways, rules, serviceEntries].map(travelling);

/** A client that listens to a server, on a stream that comes and goes. */
export interface ConfigListener {
  readonly mode: Mode;
  wire: McpWire | undefined;
  open(wire: McpWire): void;
}

/** Our own sink, and the state of its consumer. */
export class SinkListener implements ConfigListener {
  readonly mode: Mode;
  readonly heard = new SourceRecorder();
  readonly #sink: XdsSink;
  wire: McpWire | undefined;

  constructor(mode: Mode, clock: FakeClock) {
    this.mode = mode;
    const state = new ReceivedState(collections);
    this.#sink = new XdsSink({
      sourceName: "xds://test",
      mode,
      node: { id: "a", metadata: ownMetadata },
      collections,
      takesSynthetic: false,
      revision: undefined,
      resyncMs: 30_000,
      clock,
      random: () => 0.5,
      apply: (change) => {
        const { events, refused } = state.apply(change);
        this.heard.handler(events);
        return refused;
      },
      observer: new RecordingSink(),
    });
  }

  open(wire: McpWire): void {
    this.#sink.attach(wire.sink);
  }
}

/** A client that behaves like a real istiod, as far as recordings show. */
export class IstiodListener implements ConfigListener {
  readonly mode = "sotw";
  readonly store = new IstiodStore();
  wire: McpWire | undefined;

  open(wire: McpWire): void {
    const say = (init: MessageInitShape<typeof DiscoveryRequestSchema>) =>
      wire.sink.send(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, init)), []);
    wire.sink.attach({
      onMessage: (bytes) => {
        const answer = this.store.take(fromBinary(DiscoveryResponseSchema, bytes));
        if (answer !== undefined) say(answer);
      },
      onFlushed: () => undefined,
      onClose: () => undefined,
    });
    const node = { id: "istiod", metadata: { GENERATOR: "api" } };
    const typeUrls = collections.map(({ kind }) => `networking.istio.io/v1/${kind.kind}`);
    for (const typeUrl of typeUrls) say({ node, typeUrl, responseNonce: "2026-11-15 21:42:56 m=+0.1" });
  }
}
