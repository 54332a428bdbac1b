import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { type EnvoyProcess, startEnvoy } from "./support/envoy/envoy.ts";
import { openShop, routesYaml, type Shop, splitYaml } from "./support/envoy/shop.ts";
import { get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";

const describeWithPeers = await describeWith("envoy", "istioctl");
const proxy = "gw-0.istio-system";

/** The answer of `istioctl version`. */
interface Versions {
  readonly meshVersion: readonly object[];
  readonly dataPlaneVersion: readonly object[];
}

interface Ended {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function ended(command: string, args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, KUBECONFIG: "/dev/null" };
  return new Promise((settle) => {
    execFile(command, args, { env, timeout: 30_000, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

async function istioctl(...args: readonly string[]): Promise<Ended> {
  return await ended(await peerPath("istioctl"), args);
}

describeWithPeers("a mesh with one router is inspected", () => {
  let shop: Shop;
  let binnacle: BinnacleProcess;
  let envoy: EnvoyProcess;
  const folder = mkdtempSync(join(tmpdir(), "istioctl-"));

  beforeAll(async () => {
    shop = await openShop(splitYaml(100, 0));
    // A rejection lasts, so that every tool can show it.
    binnacle = await startBinnacle({ dir: shop.mesh.path, args: ["--quarantine", "off"] });
    envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "sotw", stockRuntime: true });
    await envoy.settled();
  });

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await envoy.stop();
    await binnacle[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
  });

  /** Asked over xDS, as one asks a control plane outside of Kubernetes. */
  function overXds(...args: readonly string[]): Promise<Ended> {
    return istioctl(...args, "--revision", "default", "--xds-address", `127.0.0.1:${binnacle.xdsPort}`, "--plaintext");
  }

  function binnacleCommand(...args: readonly string[]) {
    return runCommand([...args, "--server", `127.0.0.1:${binnacle.httpPort}`]);
  }

  test("by istioctl proxy-status, which lists the router and its subscriptions", async () => {
    const { code, stdout, stderr } = await overXds("proxy-status");
    expect([code, stderr]).toEqual([0, ""]);
    const [head, row, ...more] = stdout.trim().split("\n");
    expect(head).toMatch(/^NAME +CLUSTER +ISTIOD +VERSION +SUBSCRIBED TYPES$/);
    expect(row).toMatch(/^gw-0\.istio-system +Kubernetes +\S+ +\S+ +4 \(CDS,LDS,EDS,RDS\)$/);
    expect(more).toEqual([]);
    const verbose = await overXds("proxy-status", "-v", "1");
    expect(verbose.stdout).toMatch(/^NAME +CLUSTER +CDS +ECDS +EDS +LDS +RDS +ISTIOD +VERSION\n/);
    expect(verbose.stdout.match(/ SYNCED \(\d+\w+\) /g)).toHaveLength(4);
    expect(verbose.stdout).toContain(" IGNORED ");
  });

  test("by istioctl proxy-status with the router's own dump, which equals the sent resources", async () => {
    const file = join(folder, "envoy.json");
    writeFileSync(file, JSON.stringify(await envoy.configDump()));
    const { code, stdout } = await overXds("proxy-status", proxy, "--file", file);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Clusters Match\nListeners Match\nRoutes Match /);
  });

  test("by istioctl proxy-config, which reads our dump as it reads Envoy's", async () => {
    const file = join(folder, "ours.json");
    writeFileSync(file, (await get(binnacle.httpPort, `/debug/config_dump?proxyID=${proxy}&include_eds`)).body);
    const shown = async (type: string) => {
      const { code, stdout } = await istioctl("proxy-config", type, "-f", file);
      return { code, stdout };
    };
    expect(await shown("cluster")).toEqual({
      code: 0,
      stdout: expect.stringMatching(/reviews\.shop\.svc\.cluster\.local +9080 +v1 +outbound +EDS +reviews\.shop\n/),
    });
    expect(await shown("listener")).toEqual({ code: 0, stdout: expect.stringContaining(`${shop.port} ALL`) });
    expect(await shown("route")).toEqual({
      code: 0,
      stdout: expect.stringMatching(/shop\.example\.com +\/\* +shop\.shop\n/),
    });
    expect(await shown("all")).toEqual({ code: 0, stdout: expect.stringContaining(`${shop.workloads.v1.port}`) });
  });

  test("by istioctl x internal-debug, which prints our pages", async () => {
    const { code, stdout } = await overXds("x", "internal-debug", "syncz?namespace=istio-system");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ proxy, istio_version: expect.any(String) }]);
    expect((await overXds("x", "internal-debug", "syncz?namespace=default")).stdout.trim()).toBe("[]");
  });

  test("by istioctl x internal-debug --list, which names our pages", async () => {
    const { code, stdout } = await overXds("x", "internal-debug", "--list");
    expect(code).toBe(0);
    const names = JSON.parse(stdout) as readonly string[];
    expect(names).toEqual(expect.arrayContaining(["adsz", "config_dump", "list", "syncz"]));
    const unknown = await overXds("x", "internal-debug", "nowhere");
    for (const name of names) expect(unknown.stdout).toContain(name);
  });

  test("by istioctl x version, which shows our version and that of the router's agent", async () => {
    const { code, stdout } = await overXds("x", "version", "-o", "json");
    expect(code).toBe(0);
    const { meshVersion, dataPlaneVersion } = JSON.parse(stdout) as Versions;
    expect(meshVersion).toMatchObject([
      { Component: "binnacle", Info: { version: expect.stringMatching(/^\d+\.\d+\.\d+/u) } },
    ]);
    expect(dataPlaneVersion).toMatchObject([{ ID: proxy, IstioVersion: "1.29.6" }]);
  });

  test("by binnacle proxy-status and proxy-config, with the file and line of every owner", async () => {
    const status = await binnacleCommand("proxy-status");
    expect(status).toMatchObject({ code: 0, stderr: "" });
    expect(status.stdout).toMatch(/^NAME +CDS +LDS +EDS +RDS +VERSION\ngw-0\.istio-system +(?:SYNCED +){4}/);
    const routes = await binnacleCommand("proxy-config", "route", "gw-0");
    expect(routes).toMatchObject({ code: 0, stderr: "" });
    expect(routes.stdout).toContain(`shop.shop (${shop.mesh.path}/routes.yaml:1)`);
    const unknown = await binnacleCommand("proxy-status", "gw-1.istio-system");
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain("gw-1.istio-system is not connected; did you mean gw-0.istio-system?");
  });

  test("after a NACK, which all tools show with resource, object, place and router", async () => {
    // We only warn of it: an Envoy with the bootstrap of Binnacle or of Istio takes it.
    const tooMuch = `- match: [{uri: {regex: "/a{900}"}}]\n  route: [{destination: {host: ratings.shop.svc.cluster.local}}]`;
    shop.mesh.write("routes.yaml", routesYaml(tooMuch));
    const rejections = await eventually(
      "the router rejects its routes",
      async () => {
        const found = JSON.parse((await get(binnacle.httpPort, "/debug/nacks")).body) as readonly object[];
        return found.length > 0 ? found : undefined;
      },
      { seconds: 20 },
    );
    const object = "VirtualService/shop/shop";
    const reference = `${shop.mesh.path}/routes.yaml:1`;
    const route = `http.${shop.port}.127.0.0.1`;
    expect(rejections).toEqual([
      {
        type: "RDS",
        message: expect.stringContaining("max program size"),
        resources: [route],
        objects: expect.arrayContaining([{ object, reference }]),
        proxies: [expect.stringContaining(proxy)],
        quarantined: [],
      },
    ]);

    const status = await binnacleCommand("proxy-status");
    expect(status.code).toBe(1);
    expect(status.stdout).toContain(`RDS ${route}: `);
    expect(status.stdout).toContain(`  ${object} ${reference}\n`);
    expect(status.stdout).toContain("rejected by 1 proxy: router~");
    const detail = await binnacleCommand("proxy-status", proxy);
    expect(detail.stdout).toMatch(/RouteConfiguration +ERROR +http\./);
    expect((await overXds("proxy-status", "-v", "1")).stdout).toMatch(/ERROR \(\d+\w+\)/);

    expect(JSON.parse(await binnacle.logged("proxy rejected a response"))).toMatchObject({
      level: "warn",
      rejected: [{ resources: [route], objects: expect.arrayContaining([`${object} (${reference})`]) }],
    });
    const { body: metrics } = await get(binnacle.metricsPort, "/metrics");
    expect(metrics).toMatch(
      /^binnacle_rejected_resources\{type="rds",resource="http\.[^"]*",object="[^"]+",reference="[^"]+"\} 1$/m,
    );
    expect(metrics).toContain('pilot_total_xds_rejects{type="rds"} 1');
    const distribution = JSON.parse(
      (await get(binnacle.httpPort, `/debug/config_distribution?resource=${object}`)).body,
    );
    expect(distribution).toMatchObject({ message: "0/1 proxies up to date.", reference });

    shop.mesh.write("routes.yaml", splitYaml(0, 100));
    await eventually(
      "the mended routes are live",
      async () => {
        const { body } = await get(binnacle.httpPort, `/debug/config_distribution?resource=${object}`);
        return body.includes("1/1 proxies up to date.");
      },
      { seconds: 20 },
    );
    expect((await binnacleCommand("proxy-status")).code).toBe(0);
    expect((await get(binnacle.httpPort, "/debug/nacks")).body).toBe("[]\n");
  });
});
