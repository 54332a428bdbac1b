import { describe, expect, test } from "vitest";
import { receivedServices } from "../../../config/mesh/mesh-service.ts";
import { assert } from "../../../lib/assert.ts";
import { type CloseReason, GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import { SnapshotCache } from "../../../mcp/snapshot-cache.ts";
import { described, GalleyCaller } from "../../../testing/mcp/galley-caller.ts";
import { McpMesh } from "../../../testing/mcp/mcp-mesh.ts";
import { travelling } from "../../../testing/mcp/mcp-object.ts";
import { istioResource, McpSinkRig } from "../../../testing/mcp/mcp-sink-rig.ts";
import { gateways, rules, serviceEntries, synthetic } from "../../../testing/mcp/mcp-source-rig.ts";
import { istioEnvelope, XdsSinkRig } from "../../../testing/mcp-over-xds/xds-sink-rig.ts";
import type { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { emptyGraceMs } from "../empty-guard.ts";

const services = "binnacle/services";
const policies = "istio/security/v1beta1/authorizationpolicies";
const telemetry = "istio/telemetry/v1alpha1/telemetries";
const gatewayInput = "k8s/networking.istio.io/v1alpha3/gateways";
const entryInput = "k8s/networking.istio.io/v1alpha3/serviceentries";

const refusedConnection: CloseReason = {
  type: "broken",
  cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
};

async function running(...served: readonly string[]): Promise<GalleyCaller> {
  const rig = new GalleyCaller(...(served.length === 0 ? [] : [served]));
  rig.mesh.set(gateways, "shop/edge", "1");
  rig.mesh.set(serviceEntries, "shop/pay", "1");
  await rig.start();
  rig.publish();
  return rig;
}

describe("a remote Galley", () => {
  test("receives no requests before its source starts, and reports all its objects once", async () => {
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

  test("reports changes one by one, and nothing about unchanged objects", async () => {
    const rig = await running();
    const calls = rig.heard.calls.length;
    rig.mesh.set(gateways, "shop/edge", "2");
    rig.mesh.set(gateways, "shop/side", "1");
    rig.publish();
    rig.mesh.delete(gateways, "shop/edge");
    rig.publish();
    expect(rig.since(calls)).toEqual(["+edge=2", "+side=1", "-shop/edge"]);
  });

  test("that restarts with the same content is stale meanwhile, without other events", async () => {
    const rig = await running();
    const calls = rig.heard.calls.length;
    rig.restart();
    rig.clock.advance(500);
    rig.settle();
    expect(rig.since(calls)).toEqual(["stale: the connection was lost", "fresh"]);
  });

  test("that repeats everything, as the real one does, causes no changes", async () => {
    const rig = new GalleyCaller([gateways, serviceEntries], { incremental: () => false });
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

  test("that lost objects while away is distinguished from one that still has them", async () => {
    const rig = await running();
    rig.mesh.set(serviceEntries, "shop/cart", "1");
    rig.publish();
    const calls = rig.heard.calls.length;
    rig.restart((mesh) => mesh.delete(serviceEntries, "shop/pay"));
    rig.clock.advance(500);
    rig.settle();
    expect(rig.since(calls)).toEqual(["stale: the connection was lost", "-shop/pay", "fresh"]);
  });

  test("that comes back empty keeps its objects for half a minute, and says so", async () => {
    const rig = await running();
    const calls = rig.heard.calls.length;
    rig.restart((mesh) => {
      mesh.delete(serviceEntries, "shop/pay");
      mesh.delete(gateways, "shop/edge");
    });
    rig.clock.advance(500);
    rig.settle();
    rig.clock.advance(emptyGraceMs - 1);
    const doubts = ["the object that it had; it stays", "the 2 objects that it had; they stay"];
    expect(rig.since(calls)).toEqual([
      "stale: the connection was lost",
      ...doubts.map((text) => `stale: the server lists none of ${text} in use for 30 s`),
    ]);
    rig.clock.advance(1);
    expect(rig.since(calls).slice(3)).toEqual(["-shop/edge", "-shop/pay", "fresh"]);
  });

  test("that comes back empty, and then with objects, is never taken for empty", async () => {
    const rig = await running();
    const calls = rig.heard.calls.length;
    rig.restart((mesh) => mesh.delete(serviceEntries, "shop/pay"));
    rig.clock.advance(500);
    rig.settle();
    rig.mesh.set(serviceEntries, "shop/cart", "1");
    rig.publish();
    expect(rig.since(calls).slice(2)).toEqual(["-shop/pay", "+cart=1", "fresh"]);
    expect(rig.heard.calls.at(-2)).toHaveLength(2);
  });

  test("is fresh only when every collection has an answer", async () => {
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

describe("an unavailable Galley", () => {
  test("is dialled again with growing pauses, whether unreachable or refusing", async () => {
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

  test("is dialled with short pauses again after its first answer, not after a mere connection", async () => {
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

  test("is dialled at once on request", async () => {
    const rig = new GalleyCaller();
    rig.down = refusedConnection;
    await rig.start();
    rig.clock.advance(3_000);
    const calls = rig.dialledAt.length;
    await rig.source.reload();
    expect(rig.dialledAt).toHaveLength(calls + 1);
  });

  test("is not dialled after the stop, and an open stream is ended", async () => {
    const rig = await running();
    await rig.source.stop();
    expect(rig.server.status).toEqual([]);
    rig.down = refusedConnection;
    await rig.start();
    rig.clock.advance(1);
    await rig.source.stop();
    expect(rig.clock.pending).toBe(0);
  });

  test("keeps all its objects", async () => {
    const rig = await running();
    rig.down = refusedConnection;
    rig.wires.at(-1)?.cut();
    rig.clock.advance(60_000);
    expect(rig.heard.names).toEqual(["edge", "pay"]);
  });
});

describe("a Galley of another kind", () => {
  test("that ends the stream for a missing collection is asked for the others at once", async () => {
    const rig = new GalleyCaller([gateways], { unknownCollections: "reject" });
    rig.mesh.set(gateways, "shop/edge", "1");
    rig.mesh.publish();
    await rig.start();
    expect(rig.dialledAt).toEqual([0, 0]);
    expect(rig.since(0).toSorted()).toEqual(["+edge=1", "fullSync", "fullSync"]);
  });

  test("without native services is asked for its synthetic entries, which hide no others", async () => {
    const rig = new GalleyCaller(
      [serviceEntries, synthetic],
      { unknownCollections: "reject" },
      { asked: [serviceEntries, services] },
    );
    rig.mesh.set(serviceEntries, "shop/web", "written");
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

  test("that never answers for synthetic entries is waited for briefly, each time", async () => {
    const cache = new SnapshotCache({ collections: [travelling(serviceEntries), travelling(synthetic)] });
    const rig = new GalleyCaller(
      [serviceEntries],
      { unknownCollections: "reject" },
      { asked: [serviceEntries, services], cache },
    );
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

  test("that is a Binnacle is not asked for synthetic entries, because it has native services", async () => {
    const rig = new GalleyCaller([serviceEntries, services, synthetic], {}, { asked: [serviceEntries, services] });
    await rig.start();
    rig.publish();
    expect(rig.synced).toEqual(new Set([entryInput, receivedServices]));
    expect(rig.dialledAt).toEqual([0]);
    const requests = rig.source.session?.sink.journal ?? [];
    expect(new Set(requests.map(({ collection }) => collection))).toEqual(new Set([services, serviceEntries]));
  });

  test("of Istio 1.3 is asked at once for exactly the collections of that version", async () => {
    const rig = new GalleyCaller(
      [gateways],
      { unknownCollections: "reject" },
      { asked: [gateways, policies, telemetry] },
    );
    rig.version = "1.3.6";
    rig.mesh.set(gateways, "shop/edge", "1");
    rig.mesh.publish();
    await rig.start();
    expect(rig.dialledAt).toEqual([0, 0]);
    expect(rig.since(0).toSorted()).toEqual(["+edge=1", "fullSync", "fullSync", "fullSync"]);
  });

  test("that another version replaces is asked for everything again", async () => {
    const rig = new GalleyCaller(
      [serviceEntries, synthetic],
      { unknownCollections: "reject" },
      { asked: [serviceEntries, policies, services] },
    );
    rig.version = "1.3.6";
    rig.mesh.set(synthetic, "shop/web", "made");
    rig.mesh.publish();
    await rig.start();
    expect(rig.heard.names).toEqual(["synthetic_web"]);
    const dials = rig.dialledAt.length;

    rig.restart();
    rig.clock.advance(500);
    rig.settle();
    expect(rig.dialledAt).toHaveLength(dials + 1);
    expect(rig.heard.names).toEqual(["synthetic_web"]);

    rig.version = "0.2.0";
    rig.mesh = new McpMesh([serviceEntries, policies, services]);
    rig.mesh.set(policies, "shop/web", "1");
    rig.restart();
    rig.clock.advance(500);
    rig.settle();
    expect(rig.dialledAt).toHaveLength(dials + 3);
    expect(rig.heard.names).toEqual(["web"]);
    const asked = new Set(rig.source.session?.sink.journal.map(({ collection }) => collection));
    expect(asked).toEqual(new Set([serviceEntries, policies, services]));
  });

  test("that cannot accept our held versions gets an empty announcement, once", async () => {
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

describe("an unreadable resource", () => {
  test("is an issue with its name and keeps its last good version; the others are applied", async () => {
    const rig = new GalleyCaller();
    const cache = new SnapshotCache({ collections: [withBadBodies(gateways), travelling(serviceEntries)] });
    rig.mesh.set(gateways, "shop/edge", "1");
    rig.mesh.set(serviceEntries, "shop/pay", "1");
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

describe("an object from Istio before 1.14", () => {
  const zero = { host: "pay.example.com", trafficPolicy: { loadBalancer: { simple: "UNSPECIFIED" } } };

  test("reads load balancer 0 as round robin; an object of a Binnacle does not", async () => {
    const rig = await McpSinkRig.start(rules);
    const resource = istioResource(rules, "shop/a", zero);
    rig.push({ collection: rules, resources: [resource] });
    expect(balancers(rig.heard)).toEqual([4]);
    assert(resource.metadata !== undefined, "resources have names");
    resource.metadata.annotations = { "binnacle.io/origin": "a.yaml:1" };
    rig.push({ collection: rules, resources: [resource] });
    expect(balancers(rig.heard)).toEqual([0]);
  });

  test("is distinguished from a current one by istiod's version", async () => {
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
