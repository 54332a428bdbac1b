import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import { binnacle, binnacleEnded } from "./support/binnacle/command.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { main } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { sidecarNode } from "./support/envoy/bootstrap.ts";
import { freePort } from "./support/free-port.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { shared } from "./support/shared.ts";
import { SotwClient } from "./support/xds/ads-client.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const soon = { seconds: 30 };
const service = (name: string) => serviceYaml({ name, port: 9080, endpoints: [{ port: 8080 }] });
/** A route to a service that does not exist: analysis finds it. */
const astray = objectYaml("VirtualService", "astray", {
  hosts: ["astray.example"],
  http: [{ route: [{ destination: { host: "nowhere.shop.svc.cluster.local" } }] }],
});

const rig = shared(async (resources) => {
  const mesh = resources.use(new MeshDir({ "reviews.yaml": service("reviews") }));
  const args = ["--http", `127.0.0.1:${await freePort()}`];
  const servers = [await startBinnacle({ dir: mesh.path, args })];
  resources.defer(async () => {
    for (const server of servers) await server.stop();
  });
  return { mesh, args, servers, server: () => servers.at(-1) ?? servers[0] };
});

const watching: Child[] = [];
afterEach(async () => {
  for (const child of watching.splice(0)) await child.stop();
});

/** `binnacle ARGS --watch`, against the server. */
function watch(...args: readonly string[]): Child {
  const child = binnacle([...args, "--server", rig().server()?.addresses.http ?? "", "--watch"]);
  watching.push(child);
  return child;
}

test("a watch prints the row of a proxy when it acknowledges and when it leaves, and ends with SIGINT", async () => {
  const text = watch("proxy-status", "client-0");
  const json = watch("proxy-status", "client-0", "-o", "json");
  {
    using proxy = new SotwClient(rig().server()?.xdsPort ?? 0, sidecarNode);
    proxy.subscribe(clusterType);
    const response = await proxy.next(clusterType);
    await text.line(/^EVENT +NAME/u, soon);
    await text.line(/^ADDED +client-0\.default +STALE/u, soon);
    await json.line(/^\{"type":"ADDED"/u, soon);
    proxy.ack(response);
    await text.line(/^MODIFIED +client-0\.default +SYNCED/u, soon);
    await json.line(/^\{"type":"MODIFIED","object":\{.*"state":"SYNCED"/u, soon);
  }
  await text.line(/^DELETED +client-0\.default/u, soon);
  await json.line(/^\{"type":"DELETED"/u, soon);
  text.kill("SIGINT");
  // The wanted proxy is away.
  expect(await text.exited).toBe(1);
});

test("a watch of an object and of the analysis follows an edit", async () => {
  const { mesh } = rig();
  const object = watch("describe", "VirtualService", "astray", "-n", "shop", "-o", "json");
  const analysis = watch("analyze", "--failure-threshold", "Warning");
  mesh.write("astray.yaml", astray);
  await analysis.line(/^ADDED +.*astray\.yaml:\d+:.*IST0101 VirtualService shop\/astray/u, soon);
  await object.line(/^\{"type":"(?:ADDED|MODIFIED)".*"code":"IST0101"/u, soon);
  mesh.remove("astray.yaml");
  await analysis.line(/^DELETED +.*IST0101/u, soon);
  await object.line(/^\{"type":"DELETED"/u, soon);
  analysis.kill("SIGTERM");
  object.kill("SIGINT");
  // No message is left, but the object is missing.
  expect([await analysis.exited, await object.exited]).toEqual([0, 1]);
});

test("a watch outlives a restart of the server, and says so", async () => {
  const { mesh, args, servers } = rig();
  const child = watch("sources");
  await child.line(/^ADDED +file:.* synced /u, soon);
  servers.at(-1)?.kill("SIGKILL");
  await child.line(/^--server 127\.0\.0\.1:\d+: .*ECONNREFUSED.*; trying again$/u, soon);
  servers.push(await startBinnacle({ dir: mesh.path, args }));
  await child.line(/^--server 127\.0\.0\.1:\d+: the connection is back$/u, soon);
  mesh.write("ratings.yaml", service("ratings"));
  await child.line(/^MODIFIED +file:.* synced +.* ago +2 /u, soon);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
  expect(child.linesLike(/trying again/u)).toHaveLength(1);
});

test("a wait goes on after a lost connection, and ends when the object is live", async () => {
  const page = { object: "ServiceEntry/shop/late", for: "live", version: "1", contentHash: "1", waits: false };
  const rest = { reference: "late.yaml:1", source: "file:mesh", missing: [], missingCount: 0 };
  const waiting = { state: "waiting", met: false, final: false, proxies: { connected: 1, reached: 1, live: 0 } };
  const live = { state: "live", met: true, final: true, proxies: { connected: 1, reached: 1, live: 1 } };
  let asked = 0;
  await using server = createServer((request, response) => {
    const isAboutIssues = request.url === "/debug/issues";
    if (!isAboutIssues) asked++;
    // At the end, `wait` asks whether the newest version is invalid.
    if (isAboutIssues) response.end('{"issues": []}');
    else if (asked > 1 && asked < 5) request.destroy();
    else response.end(JSON.stringify({ ...page, ...rest, ...(asked === 1 ? waiting : live) }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ended = await binnacleEnded(["wait", "ServiceEntry/late", "-n", "shop", "-o", "json", "--server", address]);
  expect(ended).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining('"state": "live"') as string });
});

test("a watch ends without an error when its reader ends", async () => {
  const { mesh, server } = rig();
  const script = `set -o pipefail; "${process.execPath}" "${main}" sources -w --server ${server()?.addresses.http} | head -2`;
  const child = new Child("bash", ["-c", script]);
  watching.push(child);
  await child.line(/^ADDED +file:/u, soon);
  const ended = { code: undefined as number | string | undefined };
  void child.exited.then((code) => (ended.code = code));
  let edits = 0;
  // It notices with the next row.
  await eventually(
    "the end",
    () => {
      const names = Array.from({ length: ++edits }, (_, index) => `more-${index}`);
      mesh.write("more.yaml", names.map(service).join("---\n"));
      return ended.code !== undefined;
    },
    soon,
  );
  expect(ended.code).toBe(0);
  expect(child.log()).not.toContain("EPIPE");
});
