import { expect, test } from "vitest";
import { GrpcStatus, type GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import { ResourceSourceServer } from "../../../mcp/source/resource-source-server.ts";
import { sourceVersionKey } from "../../../mcp/source-version.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { described } from "../../../testing/mcp/galley-caller.ts";
import { McpMesh } from "../../../testing/mcp/mcp-mesh.ts";
import { travelling } from "../../../testing/mcp/mcp-object.ts";
import { RecordingSink, RecordingSource } from "../../../testing/mcp/mcp-observers.ts";
import { gateways } from "../../../testing/mcp/mcp-source-rig.ts";
import { McpWire } from "../../../testing/mcp/mcp-wire.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { lackedBy } from "./istio-galley.ts";
import { type CalledMcpSourceOptions, createCalledMcpSource, type McpSource } from "./mcp-source.ts";

/** A source, and its listener. */
class Rig {
  readonly clock = new FakeClock();
  readonly observer = new RecordingSink();
  readonly heard = new SourceRecorder();
  /** Undefined while the listener is closed. */
  enter: ((stream: GrpcStream) => void) | undefined;

  readonly source: McpSource;

  constructor(more: Partial<CalledMcpSourceOptions> = {}) {
    this.source = createCalledMcpSource({
      name: "mcp+listen://:9902",
      listener: {
        open: (serve) => Promise.resolve(void (this.enter = serve)),
        close: () => Promise.resolve(void (this.enter = undefined)),
      },
      collections: [travelling(gateways)],
      incremental: true,
      clock: this.clock,
      random: () => 0.5,
      observer: this.observer,
      ...more,
    });
  }

  async start(): Promise<this> {
    await this.source.start(this.heard.handler);
    return this;
  }

  get said(): readonly string[] {
    return this.heard.events.map(described);
  }

  /** A Galley of this version calls, and says no more. */
  silent(version: string): McpWire {
    const wire = new McpWire(undefined, { [sourceVersionKey]: version });
    this.enter?.(wire.sink);
    return wire;
  }

  /** A Galley with one gateway calls. */
  called(content: string, version = "0.2.0"): McpWire {
    const mesh = new McpMesh([gateways]);
    mesh.set(gateways, "shop/edge", content);
    mesh.publish();
    const galley = new ResourceSourceServer({
      cache: mesh.cache,
      clock: this.clock,
      observer: new RecordingSource(),
      settings: {},
    });
    const wire = new McpWire(undefined, { [sourceVersionKey]: version });
    galley.serve(wire.source, { trigger: true });
    this.enter?.(wire.sink);
    return wire;
  }
}

test("a Galley that dials is accepted, and its trigger rejected", async () => {
  const rig = await new Rig().start();
  expect(rig.said).toEqual(["stale: no Galley has connected yet"]);
  rig.called("1").settle();
  expect(rig.said.slice(1)).toEqual(["+edge=1", "fullSync", "fresh"]);
  const refused = rig.source.session?.sink.journal.find(({ error }) => error !== undefined);
  expect(refused).toMatchObject({ collection: "$triggerCollection", error: { code: GrpcStatus.UNIMPLEMENTED } });
  // Expected, so it is no warning.
  expect(rig.observer.nacks).toEqual([]);
});

test("a Galley that reconnects with unchanged content causes no events; we do not dial", async () => {
  const rig = await new Rig().start();
  const wire = rig.called("1");
  wire.settle();
  const said = rig.said.length;
  wire.sink.close({ type: "client" });
  expect(rig.clock.pending).toBe(0);
  rig.called("1").settle();
  expect(rig.said.slice(said)).toEqual(["stale: it hung up", "fresh"]);
});

test("of two Galleys that dial, the later one counts; the other is disconnected without an outage", async () => {
  const rig = await new Rig().start();
  const old = rig.called("1");
  old.settle();
  const said = rig.said.length;
  const young = rig.called("2");
  expect(old.source.reason).toMatchObject({ status: { code: GrpcStatus.ABORTED } });
  young.settle();
  expect(rig.said.slice(said)).toEqual(["+edge=2"]);
});

test("a stop ends the stream and closes the listener; a start opens it again and replays everything", async () => {
  const rig = await new Rig().start();
  const { enter } = rig;
  const wire = rig.called("1");
  wire.settle();
  await rig.source.stop();
  expect([wire.source.closed, rig.enter]).toEqual([true, undefined]);
  const late = new McpWire();
  enter?.(late.sink);
  expect(late.source.reason).toMatchObject({ status: { code: GrpcStatus.UNAVAILABLE } });
  const said = rig.said.length;
  await rig.start();
  rig.called("1").settle();
  expect(rig.said.slice(said)).toEqual(["stale: no Galley has connected yet", "+edge=1", "fullSync", "fresh"]);
});

test("an Istio Galley is not asked for collections that it lacks, because it would hang up without a reason", async () => {
  const names = [gateways, "binnacle/services", "istio/security/v1beta1/authorizationpolicies"];
  const collections = names.map(travelling);
  const rig = await new Rig({ collections, lacks: lackedBy("istio-1.3", collections) }).start();
  const synced = rig.heard.events.flatMap((event) => (event.type === "fullSync" ? [event.collection] : []));
  expect(synced).toEqual(["k8s/security.istio.io/v1beta1/authorizationpolicies"]);
  rig.called("1").settle();
  const asked = rig.source.session?.sink.journal
    .filter(({ nonce }) => nonce === "")
    .map(({ collection }) => collection);
  expect(asked?.slice(0, -1)).toEqual([gateways, "istio/networking/v1alpha3/synthetic/serviceentries"]);
  expect(asked?.at(-1)).toBe("$triggerCollection");
});

test("a Galley that dials without answering is distinguished from none, with a hint about the cause", async () => {
  const rig = await new Rig({ onSilence: "set ?galley=istio-1.3" }).start();
  const silent = "stale: a Galley is connected, but does not respond: set ?galley=istio-1.3";
  rig.enter?.(new McpWire().sink);
  expect(rig.said).toEqual(["stale: no Galley has connected yet"]);
  // As Galley 1.3.6 does: it calls again, and leaves the old stream open.
  const second = new McpWire();
  rig.enter?.(second.sink);
  expect(rig.said).toEqual(["stale: no Galley has connected yet", silent]);
  second.sink.close({ type: "client" });
  expect(rig.said).toEqual(["stale: no Galley has connected yet", silent]);
  rig.called("1").settle();
  expect(rig.said.slice(2)).toEqual(["+edge=1", "fullSync", "fresh"]);
});

test("an Istio Galley that redials without an answer is recognized by its version, without a setting", async () => {
  const collections = [gateways, "istio/security/v1beta1/authorizationpolicies"].map(travelling);
  const rig = await new Rig({ collections, onSilence: "set ?galley=istio-1.3" }).start();
  const asked = () =>
    rig.source.session?.sink.journal.filter(({ nonce }) => nonce === "").map(({ collection }) => collection);
  const first = rig.silent("1.3.6");
  expect(asked()).toEqual(collections.map(({ name }) => name));
  rig.silent("1.3.6");
  expect(first.source.closed).toBe(true);
  expect(asked()).toEqual([gateways]);
  expect(rig.said).toEqual(["stale: no Galley has connected yet", "fullSync"]);

  rig.called("1", "1.5.0").settle();
  expect(asked()?.slice(0, 2)).toEqual(collections.map(({ name }) => name));
});
