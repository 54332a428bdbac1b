import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { binnacle, portOf, type RunningGalley, startGalley } from "./support/binnacle/command.ts";
import { ask, get } from "./support/http.ts";
import { goodGateway, reviewOf, WebhookClient } from "./support/kube/webhook-client.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

const patience = { seconds: 20 };
const gateways = "istio/networking/v1alpha3/gateways";

function gateway(name: string): string {
  return `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: ${name}, namespace: shop }
spec:
  servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: ["*"] }]
`;
}

function meshDir(): MeshDir {
  const mesh = new MeshDir({ "edge.yaml": gateway("edge") });
  onTestFinished(() => mesh[Symbol.dispose]());
  return mesh;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "binnacle-galley-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function galleyOn(...args: readonly string[]): Promise<RunningGalley> {
  const galley = await startGalley(...args);
  onTestFinished(() => galley.child.stop());
  return galley;
}

/** A command to its end. */
async function ended(...args: readonly string[]): Promise<{ readonly code: number | string; readonly log: string }> {
  const child = binnacle(...args);
  onTestFinished(() => child.stop());
  const code = await child.exited;
  return { code, log: child.log() };
}

async function webhookFlags() {
  const authority = await TestAuthority.create();
  onTestFinished(() => authority[Symbol.dispose]());
  const files = await authority.issueServer("webhook");
  const pair = ["--webhook-cert", files.certificateChain, "--webhook-key", files.privateKey];
  return { files, flags: ["--webhook", "127.0.0.1:0", ...pair] };
}

async function namesIn({ addresses }: RunningGalley, collection: string): Promise<readonly string[] | undefined> {
  const { body } = await get(portOf(addresses.ctrlz), "/configj/?group=default");
  const { Snapshots } = JSON.parse(body) as {
    readonly Snapshots: readonly { readonly Collection: string; readonly Names: readonly string[] }[];
  };
  return Snapshots.find(({ Collection }) => Collection === collection)?.Names;
}

/** The components that its log says this of, in order. */
function components(log: string, message: "started" | "stopped"): readonly string[] {
  return Array.from(
    log.matchAll(new RegExp(`"component":"([^"]+)","msg":"${message}"`, "gu")),
    (match) => match[1] ?? "",
  );
}

describe("binnacle galley", () => {
  test("publishes what is in its directories, and follows them", async () => {
    const mesh = meshDir();
    const galley = await galleyOn(mesh.path);
    expect(await namesIn(galley, gateways)).toEqual(["shop/edge"]);
    mesh.write("more.yaml", gateway("more"));
    const names = await eventually(
      "a snapshot with both",
      async () => {
        const found = await namesIn(galley, gateways);
        return found?.length === 2 ? found : undefined;
      },
      patience,
    );
    expect(names).toEqual(["shop/edge", "shop/more"]);
    const { body } = await get(portOf(galley.addresses.metrics), "/metrics");
    expect(body).toMatch(/^galley_runtime_processor_snapshots_published_total [3-9]/mu);
    expect(body).toMatch(/^galley_istio_networking_gateways\{namespace="shop",name="more",version="\w+"\} 1$/mu);
    expect(body).toContain('istio_build{component="galley",tag="');
    expect(galley.addresses).toMatchObject({ xds: "off", webhook: "off" });
  });

  test("is the webhook alone where there is no source", async () => {
    const { files, flags } = await webhookFlags();
    const { addresses, child } = await galleyOn("--source", "off", ...flags);
    expect((await get(portOf(addresses.http), "/ready")).status).toBe(200);
    using client = new WebhookClient(addresses.webhook, files);
    const { body } = await client.post(reviewOf(goodGateway()));
    expect(JSON.parse(body)).toMatchObject({ response: { allowed: true } });
    expect((await get(portOf(addresses.metrics), "/metrics")).body).toMatch(/^galley_validation_passed\{.*\} 1$/mu);
    expect(JSON.parse((await get(portOf(addresses.ctrlz), "/collectionj/")).body)).toEqual({});
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });

  test("is both where there is both, and its readiness depends on both", async () => {
    const { flags } = await webhookFlags();
    const galley = await galleyOn(meshDir().path, "--log-level", "server:debug", ...flags);
    expect(await namesIn(galley, gateways)).toEqual(["shop/edge"]);
    expect(components(galley.child.log(), "started")).toEqual(expect.arrayContaining(["webhook", "processing"]));
  });

  test("has nothing to do without source and webhook, and says so", async () => {
    expect(await ended("galley", "--source", "off")).toEqual({
      code: 2,
      log: "binnacle galley: nothing to do: there is neither a --source nor a --webhook",
    });
  });

  test.each(["http", "metrics", "ctrlz"] as const)(
    "ends with a sentence when the address of --%s is taken",
    async (name) => {
      const mesh = meshDir();
      const { addresses } = await galleyOn(mesh.path);
      const off = ["http", "metrics", "ctrlz"].flatMap((each) => [
        `--${each}`,
        each === name ? addresses[name] : "off",
      ]);
      expect(await ended("galley", mesh.path, ...off)).toEqual({
        code: 1,
        log: `binnacle galley: --${name}: ${addresses[name]} is already in use`,
      });
    },
  );
});

describe("the host of galley", () => {
  test("keeps probe files fresh, which binnacle probe checks, and takes them away at the end", async () => {
    const live = join(folder(), "live");
    const ready = join(folder(), "ready");
    const files = ["--liveness-file", live, "--readiness-file", ready, "--probe-interval", "200ms"];
    const { child } = await galleyOn(meshDir().path, ...files);
    await eventually("a readiness file", () => existsSync(ready) || undefined, patience);
    for (const file of [live, ready]) {
      expect(await ended("probe", "--file", file, "--interval", "1m")).toEqual({ code: 0, log: "" });
    }
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    for (const file of [live, ready]) {
      const { code, log } = await ended("probe", "--file", file, "--interval", "1m");
      expect([code, log]).toEqual([1, `${file} is not there`]);
    }
  });

  test("stops in the opposite order on SIGTERM, and ends with 0", async () => {
    const ready = join(folder(), "ready");
    const flags = ["--readiness-file", ready, "--profiling", "--log-level", "server:debug"];
    const { child } = await galleyOn(meshDir().path, ...flags);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    const host = ["readiness-file", "http", "metrics", "profiling", "ctrlz"];
    const order = [...host, "mcp source", "mcp", "snapshotter", "processing", "first snapshots", "analysis"];
    expect(components(child.log(), "started")).toEqual(order);
    expect(components(child.log(), "stopped")).toEqual(order.toReversed());
  });

  test("changes log levels while it runs", async () => {
    const { child, addresses } = await galleyOn(meshDir().path, "--log-level", "warn,server:silent");
    const change = { body: JSON.stringify({ output_level: "info" }) };
    expect((await ask("PUT", portOf(addresses.ctrlz), "/scopej/source", change)).status).toBe(202);
    child.kill("SIGHUP");
    await child.line(/"scope":"source","msg":"reading sources again"/, patience);
    expect((await ask("PUT", portOf(addresses.ctrlz), "/scopej/source", { body: "{}" })).status).toBe(400);
  });

  test("takes profiles that can be read, without opening the inspector", async () => {
    const { child, addresses } = await galleyOn(meshDir().path, "--profiling");
    const port = portOf(addresses.ctrlz);
    const cpu = await get(port, "/debug/pprof/profile?seconds=1");
    expect(cpu.headers["content-disposition"]).toBe('attachment; filename="binnacle.cpuprofile"');
    const profile = JSON.parse(cpu.body) as {
      nodes: unknown[];
      samples: unknown[];
      startTime: number;
      endTime: number;
    };
    expect(profile.nodes.length).toBeGreaterThan(0);
    expect(profile.samples.length).toBeGreaterThan(0);
    expect(profile.endTime - profile.startTime).toBeGreaterThan(500_000);
    expect(JSON.parse((await get(port, "/debug/pprof/heap")).body)).toHaveProperty("head.children");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    expect(child.log()).not.toContain("Debugger listening");
  });

  test("answers no page of another site, on any port", async () => {
    const { addresses } = await galleyOn(meshDir().path);
    for (const address of [addresses.http, addresses.metrics, addresses.ctrlz]) {
      expect((await get(portOf(address), "/", { host: "evil.example" })).status).toBe(403);
    }
    const asOther = { headers: { origin: "http://evil.example" }, body: '{"output_level":"debug"}' };
    expect((await ask("PUT", portOf(addresses.ctrlz), "/scopej/xds", asOther)).status).toBe(403);
  });

  test("shows no secrets of its environment", async () => {
    vi.stubEnv("GALLEY_TEST_TOKEN", "hunter2");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { addresses } = await galleyOn(meshDir().path);
    const { body } = await get(portOf(addresses.ctrlz), "/envz/");
    expect(body).toContain("GALLEY_TEST_TOKEN");
    expect(body).not.toContain("hunter2");
  });
});
