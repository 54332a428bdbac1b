import { create } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import { gateways, rules, serviceEntries } from "../../../testing/mcp/mcp-source-rig.ts";
import { envelope, resource, XdsSinkRig } from "../../../testing/mcp-over-xds/xds-sink-rig.ts";

const gatewayType = "networking.istio.io/v1/Gateway";
const entryType = "networking.istio.io/v1/ServiceEntry";
const olderGateways = ["networking.istio.io/v1beta1/Gateway", "networking.istio.io/v1alpha3/Gateway"];
const broken = create(AnySchema, { typeUrl: envelope, value: Uint8Array.of(0xff) });

/** Of what each object says. */
function contents({ heard }: XdsSinkRig): readonly string[] {
  return Array.from(heard.state.values(), ({ name, annotations }) => `${name}=${annotations["content"]}`).toSorted();
}

function labelled(revision: string) {
  return resource(gateways, "shop/a", revision, { "istio.io/rev": revision });
}

function told({ heard }: XdsSinkRig): readonly string[] {
  const { events } = heard;
  heard.calls.length = 0;
  return events.map((event) => (event.type === "stale" ? `stale: ${event.reason}` : event.type));
}

describe("a source over xDS in SotW mode", () => {
  test("sends its node once, subscribes to everything at once, and names no resources (XC-1)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways, rules, serviceEntries]);
    const requests = rig.requests();
    expect(requests.map(({ typeUrl }) => typeUrl)).toEqual([
      gatewayType,
      "networking.istio.io/v1/DestinationRule",
      entryType,
    ]);
    const [first, ...more] = requests;
    expect(first?.node?.id.split("~")).toHaveLength(4);
    expect(first?.node?.metadata).toMatchObject({ GENERATOR: "api" });
    expect(more.map(({ node }) => node)).toEqual([undefined, undefined]);
    for (const { resourceNames, responseNonce } of requests) expect([resourceNames, responseNonce]).toEqual([[], ""]);
  });

  test("requests other versions of a kind if the preferred one is empty, and unites them (XC-2)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    rig.requests();
    rig.respond({ typeUrl: gatewayType, nonce: "1" });
    const asked = rig.requests().filter(({ responseNonce }) => responseNonce === "");
    expect(asked.map(({ typeUrl }) => typeUrl)).toEqual(olderGateways);
    rig.respond({ typeUrl: olderGateways[0] ?? "", nonce: "2" });
    expect(told(rig)).toEqual([]);
    rig.respond({ typeUrl: olderGateways[1] ?? "", nonce: "3", resources: [resource(gateways, "shop/a")] });
    expect(told(rig)).toEqual(["upserted", "fullSync"]);
    rig.respond({ typeUrl: gatewayType, nonce: "4", resources: [resource(gateways, "shop/b", "new")] });
    expect(contents(rig)).toEqual(["a=1", "b=new"]);
    rig.respond({ typeUrl: olderGateways[1] ?? "", nonce: "5" });
    expect(contents(rig)).toEqual(["b=new"]);
  });

  test("requests no other version if the preferred one has objects (XC-2)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [resource(gateways, "shop/a")] });
    expect(rig.requests().map(({ responseNonce }) => responseNonce)).toEqual(["", "1"]);
  });

  test("loses nothing while a server migrates from one version of a kind to another (XC-2)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [resource(gateways, "shop/a")] });
    told(rig);
    rig.respond({ typeUrl: gatewayType, nonce: "2" });
    for (const typeUrl of olderGateways) {
      rig.respond({ typeUrl, nonce: typeUrl, resources: [resource(gateways, "shop/a")] });
    }
    expect(told(rig)).toEqual([]);
    expect(contents(rig)).toEqual(["a=1"]);
  });

  test("skips entries that a server made of services, unless an option allows them (XC-4)", async () => {
    for (const [takesSynthetic, expected] of [
      [false, ["a=1"]],
      [true, ["a=1", "synthetic-b=1"]],
    ] as const) {
      const rig = await XdsSinkRig.start("sotw", [serviceEntries], { takesSynthetic });
      const resources = ["shop/a", "shop/synthetic-b"].map((name) => resource(serviceEntries, name));
      rig.respond({ typeUrl: entryType, nonce: "1", resources });
      expect(contents(rig)).toEqual(expected);
    }
  });

  test("with a revision accepts its own objects and those without one, even if the server sends all (14.6)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways], { revision: "canary" });
    const plain = resource(gateways, "shop/b");
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [labelled("stable"), plain] });
    expect(contents(rig)).toEqual(["b=1"]);
    rig.respond({ typeUrl: gatewayType, nonce: "2", resources: [labelled("canary"), plain] });
    expect(contents(rig)).toEqual(["a=canary", "b=1"]);
    rig.respond({ typeUrl: gatewayType, nonce: "3", resources: [labelled("stable"), plain] });
    expect(contents(rig)).toEqual(["b=1"]);
  });

  test("removes objects that an answer lacks, including the last one (XC-5)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    const [a, b] = [resource(gateways, "shop/a"), resource(gateways, "shop/b")];
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [a, b] });
    rig.respond({ typeUrl: gatewayType, nonce: "2", resources: [b] });
    expect(contents(rig)).toEqual(["b=1"]);
    rig.respond({ typeUrl: gatewayType, nonce: "3" });
    for (const typeUrl of olderGateways) rig.respond({ typeUrl, nonce: typeUrl });
    expect(contents(rig)).toEqual([]);
  });

  test("acknowledges every answer with its version and nonce (XC-6)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    rig.requests();
    const resources = [resource(gateways, "shop/a")];
    rig.respond({ typeUrl: gatewayType, versionInfo: "2026/1", nonce: "2026/1-uuid", resources });
    rig.respond({ typeUrl: "example.com/v1/Unasked", versionInfo: "2026/2", nonce: "2026/2-uuid" });
    expect(rig.requests()).toMatchObject([
      { typeUrl: gatewayType, versionInfo: "2026/1", responseNonce: "2026/1-uuid", resourceNames: [] },
      { typeUrl: "example.com/v1/Unasked", responseNonce: "2026/2-uuid" },
    ]);
  });

  test("requests everything again every half minute, with jitter (XC-7)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways, serviceEntries]);
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [resource(gateways, "shop/a")] });
    rig.requests();
    rig.clock.advance(29_999);
    expect(rig.requests()).toEqual([]);
    rig.chance = 1;
    rig.clock.advance(1);
    expect(rig.requests().map(({ typeUrl, responseNonce }) => [typeUrl, responseNonce])).toEqual([
      [gatewayType, ""],
      [entryType, ""],
    ]);
    rig.clock.advance(35_999);
    expect(rig.requests()).toEqual([]);
    rig.clock.advance(1);
    expect(rig.requests()).toHaveLength(2);
  });

  test("reports nothing for unchanged objects, whatever the answer's version (XC-8)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    for (const nonce of ["1", "2"]) {
      rig.respond({ typeUrl: gatewayType, versionInfo: nonce, nonce, resources: [resource(gateways, "shop/a")] });
    }
    expect(told(rig)).toEqual(["upserted", "fullSync"]);
  });

  test.each([
    [GrpcStatus.UNAUTHENTICATED, "who are you", "UNAUTHENTICATED, who are you"],
    [GrpcStatus.PERMISSION_DENIED, "not for shop", "PERMISSION_DENIED, not for shop"],
    [GrpcStatus.UNAVAILABLE, "not ready", "UNAVAILABLE, not ready"],
  ])("reports why it is not served: %s (XC-9, XC-10)", async (code, message, reason) => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    rig.wire.source.end(code, message);
    expect(told(rig)).toEqual([`stale: it ended the stream: ${reason}`]);
    rig.clock.advance(500);
    rig.wire.source.end(code, message);
    expect([told(rig), rig.dials]).toEqual([[], 2]);
  });

  test("is synced when every type has an answer, and keeps its objects without a stream (XC-11)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways, serviceEntries]);
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [resource(gateways, "shop/a")] });
    expect(told(rig)).toEqual(["upserted", "fullSync"]);
    rig.respond({ typeUrl: entryType, nonce: "2", resources: [resource(serviceEntries, "shop/b")] });
    expect(told(rig)).toEqual(["upserted", "fullSync"]);
    rig.wire.cut();
    expect(told(rig)).toEqual(["stale: the connection was lost"]);
    expect(contents(rig)).toEqual(["a=1", "b=1"]);
    rig.clock.advance(500);
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [resource(gateways, "shop/a")] });
    expect(told(rig)).toEqual([]);
    rig.respond({ typeUrl: entryType, nonce: "2", resources: [resource(serviceEntries, "shop/b", "2")] });
    expect(told(rig)).toEqual(["upserted", "fresh"]);
  });

  test("rejects unreadable resources by name, accepts the others, and keeps the last good copy (15.22)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    const [a, b] = [resource(gateways, "shop/a"), resource(gateways, "shop/b")];
    const wrong = resource(serviceEntries, "shop/a", "wrong");
    rig.respond({ typeUrl: gatewayType, versionInfo: "1", nonce: "1", resources: [a, b] });
    rig.requests();
    rig.respond({
      typeUrl: gatewayType,
      versionInfo: "2",
      nonce: "2",
      resources: [wrong, resource(gateways, "shop/b", "2")],
    });
    expect(contents(rig)).toEqual(["a=1", "b=2"]);
    const [nack] = rig.requests();
    expect(nack).toMatchObject({ versionInfo: "1", responseNonce: "2", errorDetail: { code: 3 } });
    expect(nack?.errorDetail?.message).toContain(
      "shop/a: expected type.googleapis.com/istio.networking.v1alpha3.Gateway",
    );
    expect(nack?.errorDetail?.details).toHaveLength(1);
    expect(rig.heard.allIssues).toMatchObject([{ object: "Gateway shop/a", code: "unreadable" }]);
    rig.respond({ typeUrl: gatewayType, versionInfo: "3", nonce: "3", resources: [a, b] });
    expect([contents(rig), rig.heard.allIssues]).toEqual([["a=1", "b=1"], []]);
  });

  test("forgets an unreadable resource when it is gone (15.22)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    const [a, wrong] = [resource(gateways, "shop/a"), resource(serviceEntries, "shop/b")];
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [a, wrong] });
    expect(rig.heard.allIssues).toHaveLength(1);
    rig.respond({ typeUrl: gatewayType, nonce: "2", resources: [a] });
    expect([contents(rig), rig.heard.allIssues]).toEqual([["a=1"], []]);
  });

  test("deletes nothing after an answer with a nameless resource, which may be any of them", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    rig.respond({ typeUrl: gatewayType, nonce: "1", resources: [resource(gateways, "shop/a")] });
    rig.respond({ typeUrl: gatewayType, nonce: "2", resources: [broken] });
    expect(contents(rig)).toEqual(["a=1"]);
  });

  test("backs off until it receives an answer: a stream alone is no success (15.23)", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    for (const pause of [500, 800, 1280]) {
      rig.wire.source.end(GrpcStatus.UNAVAILABLE);
      const { dials } = rig;
      rig.clock.advance(pause - 1);
      expect(rig.dials).toBe(dials);
      rig.clock.advance(1);
      expect(rig.dials).toBe(dials + 1);
    }
    rig.respond({ typeUrl: gatewayType, nonce: "1" });
    rig.wire.source.end(GrpcStatus.UNAVAILABLE);
    const { dials } = rig;
    rig.clock.advance(500);
    expect(rig.dials).toBe(dials + 1);
  });

  test("leaves no timer behind", async () => {
    const rig = await XdsSinkRig.start("sotw", [gateways]);
    await rig.source.stop();
    expect(rig.clock.pending).toBe(0);
  });
});

/** A Gateway as deltas have it. */
function named(name: string, content = "1", version = content) {
  return { name, version, resource: resource(gateways, name, content) };
}

describe("a source over xDS in delta mode", () => {
  test("applies changes and removals", async () => {
    const rig = await XdsSinkRig.start("delta", [gateways]);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", resources: [named("shop/a"), named("shop/b")] });
    rig.respondDelta({
      typeUrl: gatewayType,
      nonce: "2",
      resources: [named("shop/a", "2")],
      removedResources: ["shop/b"],
    });
    expect(contents(rig)).toEqual(["a=2"]);
    told(rig);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "3", removedResources: ["shop/b", "shop/never"] });
    expect(told(rig)).toEqual([]);
    expect(rig.requests().map(({ responseNonce }) => responseNonce)).toEqual(["", "1", "2", "3"]);
  });

  test("announces its held versions on reconnect, so that it receives missed removals (13.4)", async () => {
    const rig = await XdsSinkRig.start("delta", [gateways]);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", resources: [named("shop/a"), named("shop/b", "1", "")] });
    rig.requests();
    rig.wire.cut();
    rig.clock.advance(500);
    expect(rig.requests()).toMatchObject([{ initialResourceVersions: { "shop/a": "1", "shop/b": "" } }]);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", removedResources: ["shop/b"] });
    expect(contents(rig)).toEqual(["a=1"]);
  });

  test("treats the first answer as full state if the server repeats announced versions", async () => {
    const rig = await XdsSinkRig.start("delta", [gateways]);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", resources: [named("shop/a"), named("shop/b")] });
    rig.wire.cut();
    rig.clock.advance(500);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", resources: [named("shop/a")] });
    expect(contents(rig)).toEqual(["a=1"]);
    rig.wire.cut();
    rig.clock.advance(500);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", resources: [named("shop/c")] });
    expect(contents(rig)).toEqual(["a=1", "c=1"]);
  });

  test("announces nothing to a server that could not accept it, and treats the answer as full state (15.15)", async () => {
    const rig = await XdsSinkRig.start("delta", [gateways]);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", resources: [named("shop/a"), named("shop/b")] });
    rig.wire.cut();
    rig.clock.advance(500);
    rig.wire.source.end(GrpcStatus.RESOURCE_EXHAUSTED, "too large");
    rig.clock.advance(800);
    expect(rig.requests().at(-1)?.initialResourceVersions).toEqual({});
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", resources: [named("shop/a")] });
    expect(contents(rig)).toEqual(["a=1"]);
  });

  test("keeps the last good copy of an unreadable resource, and requests it again on reconnect (15.22)", async () => {
    const rig = await XdsSinkRig.start("delta", [gateways]);
    rig.respondDelta({ typeUrl: gatewayType, nonce: "1", resources: [named("shop/a")] });
    rig.requests();
    const wrong = { name: "shop/a", version: "2", resource: resource(gateways, "shop/b") };
    rig.respondDelta({ typeUrl: gatewayType, nonce: "2", resources: [wrong] });
    expect(contents(rig)).toEqual(["a=1"]);
    expect(rig.requests()).toMatchObject([
      { responseNonce: "2", errorDetail: { message: 'shop/a: the resource inside is named "shop/b"' } },
    ]);
    rig.wire.cut();
    rig.clock.advance(500);
    expect(rig.requests()).toMatchObject([{ initialResourceVersions: { "shop/a": "1" } }]);
  });

  test("never requests everything again, because deltas cannot", async () => {
    const rig = await XdsSinkRig.start("delta", [gateways]);
    rig.requests();
    rig.clock.advance(120_000);
    expect(rig.requests()).toEqual([]);
  });
});
