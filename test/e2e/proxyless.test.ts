import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { startGrpcClient } from "./support/grpc/grpc-client.ts";
import { startGrpcEcho } from "./support/grpc/grpc-echo.ts";
import { type GrpcKind, grpcPeerNames } from "./support/grpc/grpc-peer.ts";
import { startGrpcServer } from "./support/grpc/grpc-server.ts";
import {
  grpcHost,
  grpcRoutes,
  openGrpcShop,
  reviewsSplit,
  toVersions,
  versionsYaml,
} from "./support/grpc/grpc-shop.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { serviceYaml } from "./support/yaml.ts";

const describeWithGrpc = await describeWith(...grpcPeerNames);
const kinds = ["js", "go", "python"] as const;
const patience = { seconds: 20 };

const toV2 = toVersions("reviews", { v2: 100 });
const nobody = { route: [{ destination: { host: grpcHost("nobody") } }] };
const everyMatch = grpcRoutes(
  "reviews",
  { match: [{ headers: { "x-user": { exact: "jason" } } }], ...toV2 },
  {
    match: [
      {
        uri: { prefix: "/grpc.health.v1.Health/" },
        headers: { "x-cut": { prefix: "yes" } },
        method: { exact: "POST" },
      },
    ],
    directResponse: { status: 403 },
  },
  {
    match: [{ withoutHeaders: { "x-beta": { exact: "off" } }, headers: { "x-beta-user": { regex: "y.s" } } }],
    ...toV2,
  },
  { match: [{ headers: { "x-lost": { exact: "yes" } } }], ...toVersions("reviews", { v1: 50, v9: 50 }) },
  {
    match: [{ queryParams: { q: { exact: "1" } } }, { method: { exact: "GET" } }, { uri: { exact: "/elsewhere" } }],
    ...nobody,
  },
  toVersions("reviews", { v1: 80, v2: 20 }),
);

/** A service with one workload, without a rule. */
function plainService(name: string, port: number, address = "127.0.0.1"): string {
  const resolution = address === "127.0.0.1" ? "STATIC" : "DNS";
  return serviceYaml({ name, port: 9080, protocol: "GRPC", resolution, endpoints: [{ address, port }] });
}

/** A server, and services of every kind of client's own for what one of them changes or counts. */
async function openWorld(resources: AsyncDisposableStack) {
  const echoes = await Promise.all([
    startGrpcEcho("v1"),
    startGrpcEcho("v2"),
    startGrpcEcho("dns"),
    startGrpcEcho("silent", { delayMs: 3_600_000 }),
  ]);
  const [v1, v2, dns, silent] = echoes.map((echo) => resources.use(echo));
  if (v1 === undefined || v2 === undefined || dns === undefined || silent === undefined) throw new Error("four echoes");
  const hasty = { timeout: "300ms", route: [{ destination: { host: grpcHost("hasty") } }] };
  const mesh = resources.use(
    new MeshDir({
      "reviews.yaml": `${versionsYaml("reviews", [v1, v2])}---\n${everyMatch}`,
      "dns.yaml": plainService("dns", dns.port, "localhost"),
      "hasty.yaml": `${plainService("hasty", silent.port)}---\n${grpcRoutes("hasty", hasty)}`,
    }),
  );
  const flaky = new Map<GrpcKind, Awaited<ReturnType<typeof startGrpcEcho>>>();
  for (const kind of kinds) {
    const echo = resources.use(await startGrpcEcho("flaky", { failFirst: 5 }));
    flaky.set(kind, echo);
    const patient = `patient-${kind}`;
    const retries = { attempts: 3, retryOn: "5xx,unavailable" };
    const routes = grpcRoutes(patient, { retries, route: [{ destination: { host: grpcHost(patient) } }] });
    mesh.write(`${patient}.yaml`, `${plainService(patient, echo.port)}---\n${routes}`);
    const edited = `edited-${kind}`;
    mesh.write(`${edited}.yaml`, versionsYaml(edited, [v1, v2]));
    mesh.write(`${edited}-routes.yaml`, grpcRoutes(edited, toVersions(edited, { v1: 100 })));
  }
  const binnacle = resources.use(await startBinnacle({ dir: mesh.path }));
  const connect = (kind: GrpcKind, name: string) =>
    startGrpcClient(kind, { target: `xds:///${grpcHost(name)}:9080`, xdsPort: binnacle.xdsPort });
  return { mesh, binnacle, connect, v2, flaky };
}

describeWithGrpc("a real proxyless gRPC client", () => {
  const world = shared(openWorld);

  describe.each(kinds)("%s", (kind) => {
    test("sends calls where the YAML says", async () => {
      const { binnacle, connect } = world();
      await using client = await connect(kind, "reviews");

      const split = await client.many(500);
      expect([...split.keys()].toSorted()).toEqual(["v1", "v2"]);
      // 20 % of 500 with a standard deviation of 8.9: six of them on either side.
      expect(Math.abs((split.get("v2") ?? 0) - 100)).toBeLessThan(54);
      expect(await client.many(20, { headers: { "x-user": "jason" } })).toEqual(new Map([["v2", 20]]));
      const beta = { "x-beta-user": "yes" };
      expect(await client.many(20, { headers: beta })).toEqual(new Map([["v2", 20]]));
      expect(await client.many(20, { headers: { ...beta, "x-beta": "on" } })).toEqual(new Map([["v2", 20]]));
      const off = await client.many(100, { headers: { ...beta, "x-beta": "off" } });
      expect([...off.keys()].toSorted()).toEqual(["v1", "v2"]);
      expect(await client.many(5, { headers: { "x-cut": "yes!" } })).toEqual(new Map([["UNAVAILABLE", 5]]));
      // Half of these go to a subset that nobody has described.
      const lost = await client.many(30, { headers: { "x-lost": "yes" } });
      expect([...lost.keys()].toSorted()).toEqual(["UNAVAILABLE", "v1"]);
      expect(binnacle.log()).not.toContain("rejected a response");
    });

    test("follows edits, survives a broken one, and applies the fixed one", async () => {
      const { mesh, binnacle, connect } = world();
      const name = `edited-${kind}`;
      const file = `${name}-routes.yaml`;
      const all = (version: string) => grpcRoutes(name, toVersions(name, { [version]: 100 }));
      await using client = await connect(kind, name);
      await client.untilAnsweredBy("v1");

      mesh.write(file, all("v2"));
      await client.untilAnsweredBy("v2");

      mesh.write(file, all("v1").replace('"weight": 100', '"weight": "lots"'));
      await eventually("the error names the file", () => binnacle.log().includes(file), patience);
      expect(await client.many(50)).toEqual(new Map([["v2", 50]]));

      mesh.remove(file);
      await eventually("both versions answer", async () => (await client.many(20)).size === 2, patience);
      mesh.write(file, all("v1"));
      await client.untilAnsweredBy("v1");
      expect(binnacle.log()).not.toContain("rejected a response");
    });

    test("retries exactly as often as configured", async () => {
      const { connect, flaky } = world();
      await using client = await connect(kind, `patient-${kind}`);
      expect(await client.many(1)).toEqual(new Map([["UNAVAILABLE", 1]]));
      expect(flaky.get(kind)?.requests()).toBe(4);
      expect(await client.many(1)).toEqual(new Map([["flaky", 1]]));
      expect(flaky.get(kind)?.requests()).toBe(6);
    });

    test("ends a call after the timeout of its route", async () => {
      await using client = await world().connect(kind, "hasty");
      // Its own deadline is later than this test's.
      expect(await client.many(1, { deadlineMs: 3_600_000 })).toEqual(new Map([["DEADLINE_EXCEEDED", 1]]));
    });

    test("resolves short names of its namespace, and names of DNS", async () => {
      const { xdsPort } = world().binnacle;
      const spellings = ["reviews", "reviews.shop", "reviews.shop.svc:9080", "dns:9080"];
      const node = { id: "sidecar~127.0.0.9~web-0.shop~shop.svc.cluster.local", metadata: {} };
      const asJason = { headers: { "x-user": "jason" } };
      const answers = spellings.map(async (spelling) => {
        await using client = await startGrpcClient(kind, { target: `xds:///${spelling}`, xdsPort, node });
        return [...(await client.many(5, asJason)).keys()];
      });
      expect(await Promise.all(answers)).toEqual([["v2"], ["v2"], ["v2"], ["dns"]]);
    });

    test("fails for an unknown name until it is configured", async () => {
      const { mesh, binnacle, connect, v2 } = world();
      await using client = await connect(kind, `late-${kind}`);
      // How long a client hopes for a name to appear is its own affair; a call waits no longer than its deadline.
      const [failure] = (await client.many(1, { deadlineMs: 500 })).keys();
      expect(["UNAVAILABLE", "DEADLINE_EXCEEDED"]).toContain(failure);
      mesh.write(`late-${kind}.yaml`, plainService(`late-${kind}`, v2.port));
      await client.untilAnsweredBy("v2");
      expect(binnacle.log()).not.toContain("rejected a response");
    });

    test("continues while the control plane is down, and resumes when it is back", async () => {
      await using shop = await openGrpcShop(reviewsSplit(100, 0));
      const first = await startBinnacle({ dir: shop.mesh.path });
      const target = `xds:///${grpcHost("reviews")}:9080`;
      await using client = await startGrpcClient(kind, { target, xdsPort: first.xdsPort });
      await client.untilAnsweredBy("v1");
      first.kill("SIGKILL");
      await first.exited;
      expect(await client.many(50)).toEqual(new Map([["v1", 50]]));
      shop.mesh.write("routes.yaml", reviewsSplit(0, 100));
      expect(await client.many(50)).toEqual(new Map([["v1", 50]]));

      await using second = await startBinnacle({ dir: shop.mesh.path, xdsPort: first.xdsPort });
      await client.untilAnsweredBy("v2", { seconds: 60 });
      expect(second.log()).not.toContain("rejected a response");
    });
  });
});

describeWithGrpc("a real proxyless gRPC server", () => {
  const rig = shared(async (resources) => {
    const mesh = resources.use(new MeshDir());
    return { mesh, binnacle: resources.use(await startBinnacle({ dir: mesh.path })) };
  });

  test.each(["go", "python"] as const)("serves only while its service is declared, %s", async (kind) => {
    const { mesh, binnacle } = rig();
    const { xdsPort } = binnacle;
    const port = await freePort();
    const name = `cart-${kind}`;
    const node = { id: "sidecar~127.0.0.1~cart-0.shop~shop.svc.cluster.local", metadata: {} };
    await using server = await startGrpcServer(kind, { port, name, xdsPort, node });
    await using client = await startGrpcClient("go", { target: `127.0.0.1:${port}`, xdsPort });
    const state = async () => [...(await client.many(1)).keys()].join();
    expect(await state()).toBe("UNAVAILABLE");

    for (const [declared, expected] of [
      [true, name],
      [false, "UNAVAILABLE"],
      [true, name],
    ] as const) {
      if (declared) mesh.write(`${name}.yaml`, plainService(name, port));
      else mesh.remove(`${name}.yaml`);
      const isSo = async () => (await state()) === expected;
      await eventually(`${expected}\n${server.log()}`, isSo, { seconds: 30 });
    }
    await using through = await startGrpcClient("go", { target: `xds:///${name}.shop:9080`, xdsPort });
    expect(await through.many(5)).toEqual(new Map([[name, 5]]));
    expect(binnacle.log()).not.toContain("rejected a response");
  });
});
