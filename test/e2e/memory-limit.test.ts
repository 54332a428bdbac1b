import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SourceReport } from "../../src/admin/galley/sources.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { clusterType, endpointType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { DeltaClient } from "./support/xds/ads-client.ts";

const heapMib = 160;
const objectsPerFile = 100;
const files = 30;
const bound = { seconds: 30 };
const known = "outbound|80||service-0-0.example.com";

/** The ServiceEntries of one file. `address`: of the first one's first endpoint. */
function entries(file: number, address = "10.0.0.1"): string {
  return Array.from({ length: objectsPerFile }, (_, index) => {
    const addresses = [index === 0 ? address : "10.0.0.1", "10.0.0.2"];
    const spec = {
      hosts: [`service-${file}-${index}.example.com`],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      endpoints: addresses.map((each) => ({ address: each })),
    };
    return JSON.stringify({
      apiVersion: "networking.istio.io/v1",
      kind: "ServiceEntry",
      metadata: { name: `service-${file}-${index}`, namespace: "shop" },
      spec,
    });
  }).join("\n---\n");
}

function name(file: number): string {
  return `${String(file).padStart(2, "0")}.yaml`;
}

const denyAll = JSON.stringify({
  apiVersion: "security.istio.io/v1",
  kind: "AuthorizationPolicy",
  metadata: { name: "deny-all", namespace: "shop" },
  spec: {},
});

function servicesIn(clusters: Iterable<string>): number {
  return [...clusters].filter((each) => each.startsWith("outbound|80||service-")).length;
}

/** Runs in order: each test continues with the server of the one before. */
describe(`a server with a heap of ${heapMib} MiB and a directory of ${files * objectsPerFile} services`, () => {
  const mesh = new MeshDir(Object.fromEntries(Array.from({ length: files }, (_, file) => [name(file), entries(file)])));
  const held = new Set<string>();
  let server: BinnacleProcess;
  let proxy: DeltaClient;

  beforeAll(async () => {
    const env = { ...process.env, NODE_OPTIONS: `--max-old-space-size=${heapMib}` };
    server = await startBinnacle({ dir: mesh.path, env, args: ["--log-format", "json"] });
    proxy = new DeltaClient(server.xdsPort, sidecarNode);
  });

  afterAll(async () => {
    proxy[Symbol.dispose]();
    await server.stop();
    mesh[Symbol.dispose]();
  });

  async function report(): Promise<SourceReport> {
    const { status, body } = await get(server.httpPort, "/debug/sources");
    expect(status).toBe(200);
    const [directory] = JSON.parse(body) as readonly SourceReport[];
    if (directory === undefined) throw new Error("no source");
    return directory;
  }

  async function objectsOf(plural: string): Promise<number> {
    const { collections } = await report();
    return collections.find(({ collection }) => collection.endsWith(`/${plural}`))?.objects ?? 0;
  }

  /** Follows clusters until the proxy holds as many services as this. */
  async function follow(services: number): Promise<void> {
    while (servicesIn(held) !== services) {
      const response = await proxy.next(clusterType, bound);
      for (const resource of response.resources) held.add(resource.name);
      for (const removed of response.removedResources) held.delete(removed);
      proxy.ack(response);
    }
  }

  test("starts, serves the objects that fit, and says how many it left out", async () => {
    const { state, reason, leftOut } = await report();
    const taken = await objectsOf("serviceentries");
    expect(taken).toBeGreaterThan(1_000);
    expect(leftOut).toBe(files * objectsPerFile - taken);
    expect(state).toBe("stale");
    expect(reason).toContain(`${leftOut} objects are left out, because new objects do not fit into memory`);
    const ready = await get(server.httpPort, "/ready");
    expect(ready).toMatchObject({ status: 200, body: expect.stringContaining(`${leftOut} objects do not fit`) });
    expect(await metric(server.metricsPort, "binnacle_source_left_out_objects")).toBe(leftOut);
    await server.logged(`${leftOut} objects are left out`);
    proxy.subscribe(clusterType);
    await follow(taken);
    expect(held).toContain(known);
  });

  test("takes in a policy, and an edit of an endpoint that it knows", async () => {
    proxy.subscribe(endpointType, [known]);
    proxy.ack(await proxy.next(endpointType, bound));
    mesh.write("policy.yaml", denyAll);
    mesh.write(name(0), entries(0, "10.9.9.9"));
    const response = await proxy.next(endpointType, bound);
    expect(Buffer.from(response.resources[0]?.resource?.value ?? []).toString("latin1")).toContain("10.9.9.9");
    proxy.ack(response);
    await eventually("the policy", async () => (await objectsOf("authorizationpolicies")) === 1, bound);
  });

  test("leaves out one more service that is added", async () => {
    const { leftOut } = await report();
    mesh.write("more.yaml", entries(99).split("\n---\n")[0] ?? "");
    await eventually("one more", async () => (await report()).leftOut !== leftOut, bound);
    expect((await report()).leftOut).toBe(leftOut + 1);
  });

  test("follows removals, and takes in the rest", async () => {
    const { leftOut } = await report();
    const removed = Math.ceil(leftOut / objectsPerFile) + 1;
    for (let file = 1; file <= removed; file += 1) mesh.remove(name(file));
    await follow((files - removed) * objectsPerFile + 1);
    await eventually("a source without a remark", async () => (await report()).state === "synced", bound);
    expect((await report()).leftOut).toBe(0);
    expect(held).toContain("outbound|80||service-29-99.example.com");
    expect(held).not.toContain("outbound|80||service-1-0.example.com");
    expect(await get(server.httpPort, "/ready")).toMatchObject({ status: 200, body: "ready\n" });
  });
});
