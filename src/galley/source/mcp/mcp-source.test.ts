import { describe, expect, test } from "vitest";
import { receivedServices } from "../../../config/mesh/mesh-service.ts";
import { assert } from "../../../lib/assert.ts";
import { type CloseReason, GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import { SnapshotCache } from "../../../mcp/snapshot-cache.ts";
import { described, GalleyCaller } from "../../../testing/mcp/galley-caller.ts";
import { travelling } from "../../../testing/mcp/mcp-object.ts";
import { istioResource, McpSinkRig } from "../../../testing/mcp/mcp-sink-rig.ts";
import { entries, gateways, rules, synthetic } from "../../../testing/mcp/mcp-source-rig.ts";
import { istioEnvelope, XdsSinkRig } from "../../../testing/mcp-over-xds/xds-sink-rig.ts";
import type { SourceRecorder } from "../../../testing/recording/source-recorder.ts";

const services = "binnacle/services";
const gatewayInput = "k8s/networking.istio.io/v1alpha3/gateways";
const entryInput = "k8s/networking.istio.io/v1alpha3/serviceentries";

const refusedConnection: CloseReason = {
  type: "broken",
  cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
};

async function running(...served: readonly string[]): Promise<GalleyCaller> {
  const rig = new GalleyCaller(...(served.length === 0 ? [] : [served]));
  rig.mesh.set(gateways, "shop/edge", "1");
  rig.mesh.set(entries, "shop/pay", "1");
  await rig.start();
  rig.publish();
  return rig;
}

describe("a Galley somewhere else", () => {
  test("is asked for nothing before its source starts, and told once all that it has", async () => {
    const rig = new GalleyCaller();
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
    const rig = new GalleyCaller([gateways, entries], { incremental: () => false });
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
    const rig = new GalleyCaller();
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
    const rig = new GalleyCaller();
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
    const rig = new GalleyCaller();
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
    const rig = new GalleyCaller([gateways], { unknownCollections: "reject" });
    rig.mesh.set(gateways, "shop/edge", "1");
    rig.mesh.publish();
    await rig.start();
    expect(rig.dialledAt).toEqual([0, 0]);
    expect(rig.since(0).toSorted()).toEqual(["+edge=1", "fullSync", "fullSync"]);
  });

  test("that has no services as we have them is asked for the entries it made of them: they hide none", async () => {
    const rig = new GalleyCaller(
      [entries, synthetic],
      { unknownCollections: "reject" },
      { asked: [entries, services] },
    );
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
    const rig = new GalleyCaller([entries], { unknownCollections: "reject" }, { asked: [entries, services], cache });
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
    const rig = new GalleyCaller([entries, services, synthetic], {}, { asked: [entries, services] });
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
    const rig = new GalleyCaller();
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

/** The number of the simple load balancer of each rule. */
function balancers({ state }: SourceRecorder): readonly (number | undefined)[] {
  return Array.from(state.values(), ({ spec }) => {
    const { trafficPolicy } = spec as { trafficPolicy?: { loadBalancer?: { lbPolicy: { value: number } } } };
    return trafficPolicy?.loadBalancer?.lbPolicy.value;
  });
}

describe("an object of Istio's before 1.14", () => {
  const zero = { host: "pay.example.com", trafficPolicy: { loadBalancer: { simple: "UNSPECIFIED" } } };

  test("means round robin by the number 0; an object of a Binnacle does not", async () => {
    const rig = await McpSinkRig.start(rules);
    const resource = istioResource(rules, "shop/a", zero);
    rig.push({ collection: rules, resources: [resource] });
    expect(balancers(rig.heard)).toEqual([4]);
    assert(resource.metadata !== undefined, "resources have names");
    resource.metadata.annotations = { "binnacle.io/origin": "a.yaml:1" };
    rig.push({ collection: rules, resources: [resource] });
    expect(balancers(rig.heard)).toEqual([0]);
  });

  test("is told from one of today by the version that an istiod says", async () => {
    const rig = await XdsSinkRig.start("sotw", [rules]);
    const respond = (version: string) =>
      rig.respond({
        typeUrl: "networking.istio.io/v1/DestinationRule",
        nonce: version,
        resources: [istioEnvelope(rules, `shop/${version.replaceAll(".", "-")}`, zero)],
        controlPlane: { identifier: JSON.stringify({ Component: "istiod", Info: { version } }) },
      });
    respond("1.13.9");
    expect(balancers(rig.heard)).toEqual([4]);
    respond("1.29.6");
    expect(balancers(rig.heard)).toEqual([0]);
  });
});
