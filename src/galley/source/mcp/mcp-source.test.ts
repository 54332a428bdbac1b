import { describe, expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import { receivedServices } from "../../../config/mesh/mesh-service.ts";
import { type CloseReason, GrpcStatus } from "../../../lib/grpc-stream.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import { SnapshotCache } from "../../../mcp/snapshot-cache.ts";
import { ResourceSourceServer } from "../../../mcp/source/resource-source-server.ts";
import type { SourceSettings } from "../../../mcp/source/source-settings.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { McpMesh } from "../../../testing/mcp/mcp-mesh.ts";
import { travelling } from "../../../testing/mcp/mcp-object.ts";
import { RecordingSink, RecordingSource } from "../../../testing/mcp/mcp-observers.ts";
import { McpWire } from "../../../testing/mcp/mcp-wire.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { createMcpSource, type McpSource } from "./mcp-source.ts";
import { filledBy, receivedCollections } from "./received-collections.ts";

const gateways = "istio/networking/v1alpha3/gateways";
const entries = "istio/networking/v1alpha3/serviceentries";
const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";
const services = "binnacle/services";
const gatewayInput = "k8s/networking.istio.io/v1alpha3/gateways";
const entryInput = "k8s/networking.istio.io/v1alpha3/serviceentries";

const refusedConnection: CloseReason = {
  type: "broken",
  cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
};

/** A source, and the Galley that it calls. */
class Rig {
  readonly clock = new FakeClock();
  readonly observer = new RecordingSink();
  readonly heard = new SourceRecorder();
  readonly wires: McpWire[] = [];
  readonly dialledAt: number[] = [];
  mesh: McpMesh;
  server: ResourceSourceServer;
  /** How a call ends at once; undefined while the Galley is up. */
  down: CloseReason | undefined;
  readonly source: McpSource;

  constructor(
    served: readonly string[] = [gateways, entries],
    settings: Partial<SourceSettings> = {},
    { asked = [gateways, entries], cache }: { readonly asked?: readonly string[]; readonly cache?: SnapshotCache } = {},
  ) {
    this.mesh = new McpMesh(served, cache);
    this.server = this.#serve(settings);
    this.source = createMcpSource({
      name: "mcp://galley:9901",
      line: {
        start: () => Promise.resolve(),
        stop: () => Promise.resolve(),
        open: () => this.#open(),
      },
      collections: asked.map(travelling),
      incremental: true,
      clock: this.clock,
      random: () => 0.5,
      observer: this.observer,
    });
  }

  async start(): Promise<this> {
    await this.source.start(this.heard.handler);
    this.settle();
    return this;
  }

  publish(): void {
    this.mesh.publish();
    this.settle();
  }

  settle(): void {
    for (const wire of this.wires) wire.settle();
  }

  /** Another process with the same content, or what it has by then; perhaps with another cache. */
  restart(change: (mesh: McpMesh) => void = () => undefined, cache?: SnapshotCache): void {
    const { objects } = this.mesh;
    this.mesh = new McpMesh([...objects.keys()], cache);
    for (const [name, map] of objects) {
      for (const [key, config] of map.freeze(name).entries()) this.mesh.objects.get(name)?.set(key, config);
    }
    change(this.mesh);
    this.server = this.#serve({});
    this.wires.at(-1)?.cut();
    this.mesh.publish();
  }

  /** What was said since, in short. */
  since(calls: number): readonly string[] {
    return this.heard.calls.slice(calls).flat().map(described);
  }

  /** The collections that have been told completely. */
  get synced(): ReadonlySet<string> {
    return new Set(this.heard.events.flatMap((event) => (event.type === "fullSync" ? [event.collection] : [])));
  }

  #serve(settings: Partial<SourceSettings>): ResourceSourceServer {
    return new ResourceSourceServer({
      cache: this.mesh.cache,
      clock: this.clock,
      observer: new RecordingSource(),
      settings,
    });
  }

  #open() {
    const wire = new McpWire();
    this.wires.push(wire);
    this.dialledAt.push(this.clock.now());
    const { down } = this;
    if (down === undefined) this.server.serve(wire.source);
    else this.clock.after(0, () => wire.sink.close(down));
    return wire.sink;
  }
}

function described(event: SourceRecorder["events"][number]): string {
  if (event.type === "upserted") return `+${event.config.name}=${event.config.annotations["content"]}`;
  if (event.type === "deleted") return `-${event.key}`;
  if (event.type === "stale") return `stale: ${event.reason}`;
  if (event.type !== "issues") return event.type;
  return `${event.part}: ${event.issues.map(({ message }) => message).join("; ") || "well"}`;
}

async function running(...served: readonly string[]): Promise<Rig> {
  const rig = new Rig(...(served.length === 0 ? [] : [served]));
  rig.mesh.set(gateways, "shop/edge", "1");
  rig.mesh.set(entries, "shop/pay", "1");
  await rig.start();
  rig.publish();
  return rig;
}

describe("a Galley somewhere else", () => {
  test("is asked for nothing before its source starts, and told once all that it has", async () => {
    const rig = new Rig();
    expect(rig.wires).toEqual([]);
    await rig.start();
    expect(rig.heard.calls).toEqual([]);
    rig.mesh.set(gateways, "shop/edge", "1");
    rig.publish();
    expect(rig.heard.events.map(described)).toEqual(["+edge=1", "fullSync", "fullSync"]);
    const [edge] = rig.heard.state.values();
    expect(edge).toMatchObject({ origin: { source: "mcp://galley:9901", reference: "shop/edge.yaml:1" } });
  });

  test("tells changes one by one, and nothing of what stays", async () => {
    const rig = await running();
    const calls = rig.heard.calls.length;
    rig.mesh.set(gateways, "shop/edge", "2");
    rig.mesh.set(gateways, "shop/side", "1");
    rig.publish();
    rig.mesh.delete(gateways, "shop/edge");
    rig.publish();
    expect(rig.since(calls)).toEqual(["+edge=2", "+side=1", "-shop/edge"]);
  });

  test("that restarts with what it had is stale meanwhile, and nothing else is said", async () => {
    const rig = await running();
    const calls = rig.heard.calls.length;
    rig.restart();
    rig.clock.advance(500);
    rig.settle();
    expect(rig.since(calls)).toEqual(["stale: the connection was lost", "fresh"]);
  });

  test("that says all of it again, as the real one does, changes nothing by that", async () => {
    const rig = new Rig([gateways, entries], { incremental: () => false });
    rig.mesh.set(gateways, "shop/edge", "1");
    await rig.start();
    rig.publish();
    const calls = rig.heard.calls.length;
    rig.wires.at(-1)?.cut();
    rig.clock.advance(500);
    rig.settle();
    expect(rig.since(calls)).toEqual(["stale: the connection was lost", "fresh"]);
    rig.mesh.delete(gateways, "shop/edge");
    rig.publish();
    expect(rig.since(calls).at(-1)).toBe("-shop/edge");
  });

  test("that lost something while it was away is told apart from one that has it still", async () => {
    const rig = await running();
    const calls = rig.heard.calls.length;
    rig.restart((mesh) => mesh.delete(entries, "shop/pay"));
    rig.clock.advance(500);
    rig.settle();
    expect(rig.since(calls)).toEqual(["stale: the connection was lost", "-shop/pay", "fresh"]);
  });

  test("is fresh only when every collection has been told of", async () => {
    const rig = await running();
    const calls = rig.heard.calls.length;
    rig.restart();
    rig.clock.advance(500);
    const wire = rig.wires.at(-1);
    while (wire?.deliver("source"));
    expect(wire?.deliver("sink")).toBe(true);
    expect(rig.since(calls)).toEqual(["stale: the connection was lost"]);
    rig.settle();
    expect(rig.since(calls).at(-1)).toBe("fresh");
  });
});

describe("a Galley that cannot be had", () => {
  test("is called again after pauses that grow, whether nobody listens or it sends us away", async () => {
    const rig = new Rig();
    rig.down = refusedConnection;
    await rig.start();
    rig.clock.advance(600);
    rig.down = { type: "server", status: { code: GrpcStatus.UNAUTHENTICATED, message: "not you" } };
    rig.clock.advance(4_500);
    expect(rig.dialledAt).toEqual([0, 500, 1300, 2580, 4628]);
    expect(rig.since(0)).toEqual([
      "stale: nobody listens there",
      "stale: it ended the stream: UNAUTHENTICATED, not you",
    ]);
  });

  test("is called with short pauses again once it has said something, not when it takes the call", async () => {
    const rig = new Rig();
    rig.down = refusedConnection;
    await rig.start();
    rig.clock.advance(3_000);
    rig.down = undefined;
    rig.clock.advance(2_000);
    const silent = rig.dialledAt.length;
    rig.wires.at(-1)?.cut();
    rig.clock.advance(3_000);
    expect(rig.dialledAt).toHaveLength(silent);
    rig.clock.advance(1_000);
    expect(rig.dialledAt).toHaveLength(silent + 1);
    rig.publish();
    rig.wires.at(-1)?.cut();
    rig.clock.advance(500);
    expect(rig.dialledAt).toHaveLength(silent + 2);
  });

  test("is called at once when somebody asks", async () => {
    const rig = new Rig();
    rig.down = refusedConnection;
    await rig.start();
    rig.clock.advance(3_000);
    const calls = rig.dialledAt.length;
    await rig.source.reload();
    expect(rig.dialledAt).toHaveLength(calls + 1);
  });

  test("is not called any more after the stop, and the one that is there is left", async () => {
    const rig = await running();
    await rig.source.stop();
    expect(rig.server.status).toEqual([]);
    rig.down = refusedConnection;
    await rig.start();
    rig.clock.advance(1);
    await rig.source.stop();
    expect(rig.clock.pending).toBe(0);
  });

  test("keeps all it said while it is away", async () => {
    const rig = await running();
    rig.down = refusedConnection;
    rig.wires.at(-1)?.cut();
    rig.clock.advance(60_000);
    expect(rig.heard.names).toEqual(["edge", "pay"]);
  });
});

describe("a Galley of another kind", () => {
  test("that ends the stream for a collection it has not is asked for the others, at once", async () => {
    const rig = new Rig([gateways], { unknownCollections: "reject" });
    rig.mesh.set(gateways, "shop/edge", "1");
    rig.mesh.publish();
    await rig.start();
    expect(rig.dialledAt).toEqual([0, 0]);
    expect(rig.since(0).toSorted()).toEqual(["+edge=1", "fullSync", "fullSync"]);
  });

  test("that has no services as we have them is asked for the entries it made of them: they hide none", async () => {
    const rig = new Rig([entries, synthetic], { unknownCollections: "reject" }, { asked: [entries, services] });
    rig.mesh.set(entries, "shop/web", "written");
    rig.mesh.set(synthetic, "shop/web", "made");
    rig.mesh.publish();
    await rig.start();
    expect(rig.since(0).toSorted()).toEqual(["+synthetic_web=made", "+web=written", "fullSync", "fullSync"]);
    expect(rig.synced).toEqual(new Set([entryInput, receivedServices]));
    const calls = rig.heard.calls.length;
    rig.mesh.delete(synthetic, "shop/web");
    rig.publish();
    expect(rig.since(calls)).toEqual(["-shop/synthetic_web"]);
  });

  test("that never answers for those entries, its services being nobody's, is waited for shortly, each time", async () => {
    const cache = new SnapshotCache({ collections: [travelling(entries), travelling(synthetic)] });
    const rig = new Rig([entries], { unknownCollections: "reject" }, { asked: [entries, services], cache });
    await rig.start();
    rig.clock.advance(60_000);
    rig.publish();
    rig.clock.advance(1_999);
    expect(rig.synced).toEqual(new Set([entryInput]));
    rig.clock.advance(1);
    expect(rig.synced).toEqual(new Set([entryInput, receivedServices]));
    const calls = rig.heard.calls.length;
    rig.wires.at(-1)?.cut();
    rig.clock.advance(500);
    rig.settle();
    rig.clock.advance(2_000);
    expect(rig.since(calls)).toEqual(["stale: the connection was lost", "fresh"]);
    await rig.source.stop();
    expect(rig.clock.pending).toBe(0);
  });

  test("that is a Binnacle is not asked for those entries: it has services as we have them", async () => {
    const rig = new Rig([entries, services, synthetic], {}, { asked: [entries, services] });
    await rig.start();
    rig.publish();
    expect(rig.synced).toEqual(new Set([entryInput, receivedServices]));
    expect(rig.dialledAt).toEqual([0]);
    const requests = rig.source.session?.sink.journal ?? [];
    expect(new Set(requests.map(({ collection }) => collection))).toEqual(new Set([services, entries]));
  });

  test("that cannot take all we hold is told, once, that we hold nothing", async () => {
    const rig = await running();
    rig.down = { type: "server", status: { code: GrpcStatus.RESOURCE_EXHAUSTED, message: "too large" } };
    rig.wires.at(-1)?.cut();
    rig.clock.advance(501);
    rig.down = undefined;
    const calls = rig.heard.calls.length;
    rig.clock.advance(800);
    rig.settle();
    expect(rig.observer.acks.slice(-2).map(({ incremental }) => incremental)).toEqual([false, false]);
    expect(rig.since(calls)).toEqual(["fresh"]);
  });
});

/** Its bodies are something else. */
function withBadBodies(name: string): McpCollection {
  const row = travelling(name);
  return { ...row, body: { ...row.body, encode: () => new Uint8Array([0x0a, 1, 0x78]) } };
}

describe("a resource that cannot be read", () => {
  test("is an issue that names it, and what was said of it before stays; the rest is taken", async () => {
    const rig = new Rig();
    const cache = new SnapshotCache({ collections: [withBadBodies(gateways), travelling(entries)] });
    rig.mesh.set(gateways, "shop/edge", "1");
    rig.mesh.set(entries, "shop/pay", "1");
    await rig.start();
    rig.publish();
    rig.restart((mesh) => mesh.set(gateways, "shop/edge", "2"), cache);
    const calls = rig.heard.calls.length;
    rig.clock.advance(500);
    rig.settle();
    const part = `${gateways}/shop/edge`;
    expect(rig.since(calls)).toEqual([
      `${part}: expected type.googleapis.com/istio.networking.v1alpha3.Gateway, found x`,
      "fresh",
    ]);
    expect(rig.heard.config(gatewayInput, "shop/edge")?.annotations).toEqual({ content: "1" });
    expect(rig.observer.nacks.at(-1)?.rejected).toMatchObject([{ name: "shop/edge" }]);
    rig.mesh.delete(gateways, "shop/edge");
    rig.publish();
    expect(rig.since(calls).slice(2)).toEqual([`${part}: well`, "-shop/edge"]);
  });
});

describe("what is asked for", () => {
  test("is all that travels, without what Kubernetes' objects were made into already", () => {
    const names = receivedCollections(kinds).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([gateways, entries, "istio/mesh/v1alpha1/MeshConfig", "binnacle/services"]),
    );
    expect(names.filter((name) => name.startsWith("k8s/") || name.includes("synthetic"))).toEqual([]);
  });

  test("fills the collections that other sources fill, and one of its own for services", () => {
    expect(filledBy(travelling(entries))).toBe(entryInput);
    expect(filledBy(travelling("binnacle/services"))).toBe(receivedServices);
  });

  test("is only what is wanted: no services where there is no service discovery", () => {
    const wanted = kinds.filter(({ requiredForServiceDiscovery }) => requiredForServiceDiscovery !== true);
    expect(receivedCollections(wanted).map(({ name }) => name)).not.toContain("binnacle/services");
  });
});
