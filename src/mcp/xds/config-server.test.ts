import { fromBinary } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import { assert } from "../../lib/assert.ts";
import { GrpcStatus, type Peer } from "../../lib/grpc/grpc-stream.ts";
import { configIn } from "../../testing/config/configs-in.ts";
import { ConfigRig, envelopesIn } from "../../testing/mcp-over-xds/config-rig.ts";
import { configType } from "./config-types.ts";

const entries = "networking.istio.io/v1/ServiceEntry";
const rules = "networking.istio.io/v1/DestinationRule";
const meshConfig = "core/v1alpha1/MeshConfig";
const clockNonce = "2026-11-15 21:42:56.545898037 +0000 UTC m=+0.119428064";

function serviceEntry(name: string, { host = `${name}.io`, labels = "{}", annotations = "{}" } = {}): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop, labels: ${labels}, annotations: ${annotations}}
spec: {hosts: [${host}], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
---
`;
}

function destinationRule(name: string, host: string): string {
  return `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: ${name}, namespace: shop}, spec: {host: ${host}}}`;
}

const mesh =
  "{apiVersion: mesh.istio.io/v1alpha1, kind: MeshConfig, metadata: {name: mesh}, spec: {ingressClass: own}}";

let rig: ConfigRig;

beforeEach(() => {
  rig = new ConfigRig();
  rig.world.apply(serviceEntry("a"), serviceEntry("b"), destinationRule("r", "a.io"), mesh);
});

type Stream = ReturnType<ConfigRig["sotw"]>;

/** Reads what has come, acknowledges it, and tells which objects of the type are there. */
function take(stream: Stream, typeUrl: string): readonly string[] | undefined {
  const response = stream.read().findLast((each) => each.typeUrl === typeUrl);
  if (response === undefined) return undefined;
  stream.ask({ typeUrl, versionInfo: response.versionInfo, responseNonce: response.nonce });
  return envelopesIn(response.resources).map(({ metadata }) => metadata?.name ?? "");
}

/** The object that an envelope of a type holds. */
function bodies(stream: Stream, typeUrl: string): readonly unknown[] {
  const response = stream.read().findLast((each) => each.typeUrl === typeUrl);
  return envelopesIn(response?.resources ?? []).map(({ body }) => decoded(typeUrl, body?.value));
}

function decoded(typeUrl: string, value: Uint8Array | undefined): unknown {
  const type = configType(typeUrl);
  assert(type !== undefined && value !== undefined, typeUrl);
  return fromBinary(type.collection.kind.schema, value);
}

describe("a client of MCP over xDS", () => {
  test("receives an answer to its first request of a type, whatever the nonce (XS-1)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries, responseNonce: clockNonce });
    stream.ask({ typeUrl: rules, responseNonce: clockNonce });
    expect(stream.read().map(({ typeUrl, resources }) => [typeUrl, resources.length])).toEqual([
      [entries, 2],
      [rules, 1],
    ]);
  });

  test("receives nothing after an ACK, a NACK or a stale nonce, and everything after an empty one (XS-1)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    const [first] = stream.read();
    stream.ask({ typeUrl: entries, responseNonce: "long ago" });
    stream.ask({ typeUrl: entries, versionInfo: first?.versionInfo ?? "", responseNonce: first?.nonce ?? "" });
    stream.ask({ typeUrl: entries, responseNonce: "1", errorDetail: { code: 3, message: "no" } });
    expect(stream.read()).toEqual([]);
    stream.ask({ typeUrl: entries });
    const [again] = stream.read();
    expect(again).toMatchObject({ versionInfo: first?.versionInfo, resources: first?.resources });
    expect(again?.nonce).not.toBe(first?.nonce);
  });

  test("with a NACK is reported, and does not receive the same version again (XS-1)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    const [first] = stream.read();
    stream.ask({ typeUrl: entries, responseNonce: first?.nonce ?? "", errorDetail: { code: 3, message: "no" } });
    rig.world.publish();
    expect([stream.read(), rig.observer.rejections]).toEqual([[], 1]);
    rig.world.apply(serviceEntry("c"));
    expect(take(stream, entries)).toEqual(["shop/a", "shop/b", "shop/c"]);
  });

  test("receives an empty answer for empty and unknown types (XS-2)", () => {
    const stream = rig.sotw();
    for (const typeUrl of ["networking.istio.io/v1/Gateway", "example.com/v1/Unheard"]) stream.ask({ typeUrl });
    const answers = stream.read();
    expect(answers.map(({ typeUrl, resources }) => [typeUrl, resources])).toEqual([
      ["networking.istio.io/v1/Gateway", []],
      ["example.com/v1/Unheard", []],
    ]);
    for (const { nonce, versionInfo } of answers) expect([nonce, versionInfo]).not.toContain("");
  });

  test.each(["networking.istio.io/v1beta1/ServiceEntry", "networking.istio.io/v1alpha3/ServiceEntry"])(
    "receives the requested version of every kind: %s (XS-3)",
    (alias) => {
      const stream = rig.sotw();
      stream.ask({ typeUrl: entries });
      stream.ask({ typeUrl: alias });
      expect(take(stream, alias)).toEqual(["shop/a", "shop/b"]);
    },
  );

  test("receives the full state with every change, without removed objects (XS-4)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    expect(take(stream, entries)).toEqual(["shop/a", "shop/b"]);
    rig.world.apply(serviceEntry("c"));
    expect(take(stream, entries)).toEqual(["shop/a", "shop/b", "shop/c"]);
    rig.world.remove("ServiceEntry", "shop/a");
    expect(take(stream, entries)).toEqual(["shop/b", "shop/c"]);
    for (const key of ["shop/b", "shop/c"]) rig.world.remove("ServiceEntry", key);
    expect(take(stream, entries)).toEqual(["shop/c"]);
    expect(take(stream, entries)).toEqual([]);
  });

  test("receives a version that is never empty and changes exactly with the content (XS-5)", () => {
    const versions = () => {
      const stream = rig.sotw();
      stream.ask({ typeUrl: entries });
      return envelopesIn(stream.read()[0]?.resources ?? []).map(({ metadata }) => metadata?.version);
    };
    const [a, b] = versions();
    rig.world.apply(serviceEntry("a", { host: "other.io" }));
    const [changed, same] = versions();
    expect(same).toBe(b);
    expect(changed).not.toBe(a);
    rig.world.apply(serviceEntry("a"));
    expect(versions()).toEqual([a, b]);
    expect([a, b]).not.toContain("");
  });

  test("never receives the annotation that its own store uses (XS-6)", () => {
    rig.world.apply(serviceEntry("a", { annotations: "{ResourceVersion: '7', kept: 'yes'}" }));
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    const [a] = envelopesIn(stream.read()[0]?.resources ?? []);
    expect(Object.keys(a?.metadata?.annotations ?? {})).toEqual(expect.not.arrayContaining(["ResourceVersion"]));
    expect(a?.metadata?.annotations).toMatchObject({ kept: "yes" });
  });

  test("receives the creation time of every object, even an unknown one (XS-7)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    for (const { metadata } of envelopesIn(stream.read()[0]?.resources ?? [])) {
      expect(metadata?.createTime).toMatchObject({ seconds: -62_135_596_800n });
    }
  });

  test("receives full hosts, with separate versions (XS-8)", () => {
    rig.world.apply(destinationRule("r", "reviews"));
    const [plain, ours] = [rig.sotw(), rig.sotw({ BINNACLE_FORM: "as-written" })];
    for (const stream of [plain, ours]) stream.ask({ typeUrl: rules });
    expect(bodies(plain, rules)).toMatchObject([{ host: "reviews.shop.svc.cluster.local" }]);
    expect(bodies(ours, rules)).toMatchObject([{ host: "reviews" }]);
  });

  test("receives only subscribed types (XS-9)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: rules });
    expect(take(stream, rules)).toEqual(["shop/r"]);
    rig.world.apply(serviceEntry("c"));
    expect(stream.read()).toEqual([]);
  });

  test("receives the mesh configuration without an envelope, and need not acknowledge it (XS-10)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: meshConfig });
    for (const ingressClass of ["first", "second"]) rig.world.apply(mesh.replace("own", ingressClass));
    const seen = stream.read().flatMap(({ resources }) => resources);
    expect(new Set(seen.map(({ typeUrl }) => typeUrl))).toEqual(
      new Set(["type.googleapis.com/istio.mesh.v1alpha1.MeshConfig"]),
    );
    expect(seen.map(({ value }) => decoded(meshConfig, value))).toMatchObject([
      { ingressClass: "own" },
      { ingressClass: "first" },
      { ingressClass: "second" },
    ]);
    rig.clock.advance(60_000);
    expect([stream.read(), rig.observer.overdue]).toEqual([[], 0]);
  });

  test("of a revision receives its own objects and those without a revision (XS-11)", () => {
    rig.world.apply(serviceEntry("canary", { labels: "{istio.io/rev: canary}" }));
    rig.world.apply(serviceEntry("stable", { labels: "{istio.io/rev: stable}" }));
    const names = (metadata: { ISTIO_REVISION?: string }) => {
      const stream = rig.sotw(metadata);
      stream.ask({ typeUrl: entries });
      return take(stream, entries);
    };
    expect(names({ ISTIO_REVISION: "canary" })).toEqual(["shop/a", "shop/b", "shop/canary"]);
    expect(names({ ISTIO_REVISION: "stable" })).toEqual(["shop/a", "shop/b", "shop/stable"]);
    expect(names({})).toEqual(["shop/a", "shop/b", "shop/canary", "shop/stable"]);
  });

  test("of a revision sees an object appear and disappear with its label (XS-11)", () => {
    const stream = rig.sotw({ ISTIO_REVISION: "stable" });
    stream.ask({ typeUrl: entries });
    take(stream, entries);
    rig.world.apply(serviceEntry("a", { labels: "{istio.io/rev: canary}" }));
    expect(take(stream, entries)).toEqual(["shop/b"]);
    rig.world.apply(serviceEntry("a", { labels: "{istio.io/rev: stable}" }));
    expect(take(stream, entries)).toEqual(["shop/a", "shop/b"]);
  });

  test("is refused until every group has a snapshot, because an empty answer would delete all its objects (XS-12)", () => {
    const early = new ConfigRig();
    expect(early.sotw().client.status).toMatchObject({ code: GrpcStatus.UNAVAILABLE });
    early.world.publish(["default"]);
    expect(early.sotw().client.status).toMatchObject({ code: GrpcStatus.UNAVAILABLE });
    early.world.publish();
    expect(early.sotw().client.status).toBeUndefined();
  });

  test("receives nothing while nothing changes, however often it is published (XS-13)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    stream.ask({ typeUrl: rules });
    stream.read();
    for (let round = 0; round < 3; round++) rig.world.publish();
    rig.world.apply(serviceEntry("a"));
    expect(stream.read()).toEqual([]);
  });

  test("has one unacknowledged answer per type, with a time limit (XS-13)", () => {
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    expect(stream.read()).toHaveLength(1);
    for (const name of ["c", "d"]) rig.world.apply(serviceEntry(name));
    expect(stream.read()).toEqual([]);
    rig.clock.advance(10_000);
    expect(take(stream, entries)).toEqual(["shop/a", "shop/b", "shop/c", "shop/d"]);
  });
});

describe("services without a user-written entry", () => {
  const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";

  function add(name: string): void {
    rig.world.set(synthetic, configIn(serviceEntry(name, { host: `${name}.shop.svc.cluster.local` })));
  }

  test("are among the entries of foreign clients, with a marked name (XC-4)", () => {
    add("reviews");
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    expect(take(stream, entries)).toEqual(["shop/a", "shop/b", "shop/synthetic-reviews"]);
    rig.world.remove(synthetic, "shop/reviews");
    expect(take(stream, entries)).toEqual(["shop/a", "shop/b"]);
  });

  test("do not replace a user-written entry of that name", () => {
    add("reviews");
    rig.world.apply(serviceEntry("synthetic-reviews"));
    const stream = rig.sotw();
    stream.ask({ typeUrl: entries });
    expect(bodies(stream, entries)).toMatchObject([
      { hosts: ["a.io"] },
      { hosts: ["b.io"] },
      { hosts: ["synthetic-reviews.io"] },
    ]);
  });

  test("are omitted for our own clients, which request services", () => {
    add("reviews");
    const stream = rig.sotw({ BINNACLE_FORM: "as-written" });
    stream.ask({ typeUrl: entries });
    expect(take(stream, entries)).toEqual(["shop/a", "shop/b"]);
  });
});

function runsTheMesh({ identities }: Peer): boolean {
  return identities?.includes("spiffe://cluster.local/ns/istio-system/sa/istiod") === true;
}

describe("permission to read a mesh", () => {
  test("is checked before any answer, and the refusal says what is missing (XC-9)", () => {
    const strict = new ConfigRig({ world: rig.world, mayRead: runsTheMesh });
    const status = (...identities: readonly string[]) => {
      const ended: unknown[] = [];
      const peer = { address: "10.0.0.9:1", ...(identities.length > 0 && { identities }) };
      const end = (code: GrpcStatus, message?: string) => ended.push(code, message);
      const stream = { peer, closed: false, queued: 0, attach: () => undefined, send: () => undefined, end };
      strict.server.serve(stream, { mode: "sotw" });
      return ended;
    };
    expect(status()).toEqual([GrpcStatus.UNAUTHENTICATED, expect.stringContaining("authenticated")]);
    const [shop, istiod] = ["shop/sa/reviews", "istio-system/sa/istiod"].map((id) => `spiffe://cluster.local/ns/${id}`);
    expect(status(shop ?? "")).toEqual([GrpcStatus.PERMISSION_DENIED, expect.stringContaining(shop ?? "")]);
    expect(status(istiod ?? "")).toEqual([]);
  });
});

describe("a delta client of MCP over xDS", () => {
  test("receives changes with versions, and the names of removed objects", () => {
    const stream = rig.delta();
    stream.ask({ typeUrl: entries });
    const [first] = stream.read();
    expect(first?.resources.map(({ name }) => name)).toEqual(["shop/a", "shop/b"]);
    for (const { version, resource } of first?.resources ?? []) {
      expect(envelopesIn(resource ? [resource] : [])[0]?.metadata?.version).toBe(version);
    }
    stream.ask({ typeUrl: entries, responseNonce: first?.nonce ?? "" });
    rig.world.apply(serviceEntry("c"));
    rig.world.remove("ServiceEntry", "shop/a");
    const [second] = stream.read();
    expect(second?.resources.map(({ name }) => name)).toEqual(["shop/c"]);
    stream.ask({ typeUrl: entries, responseNonce: second?.nonce ?? "" });
    expect(stream.read()).toMatchObject([{ resources: [], removedResources: ["shop/a"] }]);
  });

  test("that reconnects with the full state receives nothing, also from another server", () => {
    const stream = rig.delta();
    stream.ask({ typeUrl: entries });
    const held = Object.fromEntries(stream.read()[0]?.resources.map(({ name, version }) => [name, version]) ?? []);
    const other = new ConfigRig();
    other.world.apply(serviceEntry("a"), serviceEntry("b", { host: "other.io" }));
    const back = other.delta();
    back.ask({ typeUrl: entries, initialResourceVersions: { ...held, "shop/gone": "1" } });
    const [answer] = back.read();
    expect(answer?.resources.map(({ name }) => name)).toEqual(["shop/b"]);
    expect(answer?.removedResources).toEqual(["shop/gone"]);
  });

  test("receives an answer for unknown types", () => {
    const stream = rig.delta();
    stream.ask({ typeUrl: "example.com/v1/Unheard" });
    expect(stream.read()).toMatchObject([{ typeUrl: "example.com/v1/Unheard", resources: [] }]);
  });
});
