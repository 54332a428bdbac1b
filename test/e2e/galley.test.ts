import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { binnacleEnded } from "./support/binnacle/command.ts";
import { type BinnacleProcess, startGalley } from "./support/binnacle/server.ts";
import { ask, get } from "./support/http.ts";
import { goodGateway, reviewOf, WebhookClient } from "./support/kube/webhook-client.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { shared } from "./support/shared.ts";
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

async function galleyOn(...args: readonly string[]): Promise<BinnacleProcess> {
  const galley = await startGalley(...args);
  onTestFinished(() => galley.stop());
  return galley;
}

async function webhookFlags() {
  const authority = await TestAuthority.create();
  onTestFinished(() => authority[Symbol.dispose]());
  const files = await authority.issueServer("webhook");
  const pair = ["--webhook-cert", files.certificateChain, "--webhook-key", files.privateKey];
  return { files, flags: ["--webhook", "127.0.0.1:0", ...pair] };
}

async function namesIn({ ctrlzPort }: BinnacleProcess, collection: string): Promise<readonly string[] | undefined> {
  const { body } = await get(ctrlzPort, "/configj/?group=default");
  const { Snapshots } = JSON.parse(body) as {
    readonly Snapshots: readonly { readonly Collection: string; readonly Names: readonly string[] }[];
  };
  return Snapshots.find(({ Collection }) => Collection === collection)?.Names;
}

function probe(file: string) {
  return runCommand(["probe", "--file", file, "--interval", "1m"]);
}

/** The components that its log says this of, in order. */
function components(log: string, message: "started" | "stopped"): readonly string[] {
  return Array.from(
    log.matchAll(new RegExp(`"component":"([^"]+)","msg":"${message}"`, "gu")),
    (match) => match[1] ?? "",
  );
}

describe("binnacle galley", () => {
  const rig = shared(async (resources) => {
    const mesh = resources.use(new MeshDir({ "edge.yaml": gateway("edge") }));
    vi.stubEnv("GALLEY_TEST_TOKEN", "hunter2");
    resources.defer(() => void vi.unstubAllEnvs());
    return { mesh, galley: resources.use(await startGalley(mesh.path, "--profiling")) };
  });

  test("publishes the objects of its directories, and follows changes", async () => {
    const { mesh, galley } = rig();
    expect(await namesIn(galley, gateways)).toEqual(["shop/edge"]);
    mesh.write("more.yaml", gateway("more"));
    const both = async () => {
      const names = await namesIn(galley, gateways);
      return names?.length === 2 && names;
    };
    expect(await eventually("a snapshot with both", both, patience)).toEqual(["shop/edge", "shop/more"]);
    const { body } = await get(galley.metricsPort, "/metrics");
    expect(body).toMatch(/^galley_runtime_processor_snapshots_published_total [3-9]/mu);
    expect(body).toMatch(/^galley_istio_networking_gateways\{namespace="shop",name="more",version="\w+"\} 1$/mu);
    expect(body).toContain('istio_build{component="galley",tag="');
    expect(galley.addresses).toMatchObject({ xds: "off", webhook: "off" });
  });

  test("rejects cross-origin requests on every port", async () => {
    const { httpPort, metricsPort, ctrlzPort } = rig().galley;
    for (const port of [httpPort, metricsPort, ctrlzPort]) {
      expect((await get(port, "/", { host: "evil.example" })).status).toBe(403);
    }
    const asOther = { headers: { origin: "http://evil.example" }, body: '{"output_level":"debug"}' };
    expect((await ask("PUT", ctrlzPort, "/scopej/xds", asOther)).status).toBe(403);
  });

  test("shows no secrets of its environment", async () => {
    const { body } = await get(rig().galley.ctrlzPort, "/envz/");
    expect(body).toContain("GALLEY_TEST_TOKEN");
    expect(body).not.toContain("hunter2");
  });

  test.each(["http", "metrics", "ctrlz"] as const)(
    "ends with a message when the address of --%s is in use",
    async (name) => {
      const { addresses } = rig().galley;
      const off = ["http", "metrics", "ctrlz"].flatMap((each) => [
        `--${each}`,
        each === name ? addresses[name] : "off",
      ]);
      expect(await binnacleEnded(["galley", meshDir().path, ...off])).toEqual({
        code: 1,
        stdout: "",
        stderr: `binnacle galley: --${name}: ${addresses[name]} is already in use\n`,
      });
    },
  );

  test("writes readable profiles without opening the inspector", async () => {
    const { galley } = rig();
    const cpu = await get(galley.ctrlzPort, "/debug/pprof/profile?seconds=1");
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
    expect(JSON.parse((await get(galley.ctrlzPort, "/debug/pprof/heap")).body)).toHaveProperty("head.children");
    galley.kill("SIGTERM");
    expect(await galley.exited).toBe(0);
    expect(galley.log()).not.toContain("Debugger listening");
  });
});

describe("binnacle galley with flags of its own", () => {
  test("runs only the webhook without a source", async () => {
    const { files, flags } = await webhookFlags();
    const galley = await galleyOn("--source", "off", ...flags);
    expect((await get(galley.httpPort, "/ready")).status).toBe(200);
    using client = new WebhookClient(galley.addresses.webhook, files);
    const { body } = await client.post(reviewOf(goodGateway()));
    expect(JSON.parse(body)).toMatchObject({ response: { allowed: true } });
    expect((await get(galley.metricsPort, "/metrics")).body).toMatch(/^galley_validation_passed\{.*\} 1$/mu);
    expect(JSON.parse((await get(galley.ctrlzPort, "/collectionj/")).body)).toEqual({});
    galley.kill("SIGTERM");
    expect(await galley.exited).toBe(0);
  });

  test("runs source and webhook together, and its readiness depends on both", async () => {
    const { flags } = await webhookFlags();
    const galley = await galleyOn(meshDir().path, "--log-level", "server:debug", ...flags);
    expect(await namesIn(galley, gateways)).toEqual(["shop/edge"]);
    const both = ["webhook", "processing"];
    await eventually("both are started", () => new Set(both).isSubsetOf(new Set(components(galley.log(), "started"))), {
      seconds: 20,
    });
  });

  test("ends with a message without source and webhook", async () => {
    expect(await runCommand(["galley", "--source", "off"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "binnacle galley: nothing to do: set --source or --webhook",
    });
  });

  test("refreshes the probe files that binnacle probe checks, and removes them at the end", async () => {
    const live = join(folder(), "live");
    const ready = join(folder(), "ready");
    const files = ["--liveness-file", live, "--readiness-file", ready, "--probe-interval", "200ms"];
    const galley = await galleyOn(meshDir().path, ...files);
    await eventually("a readiness file", () => existsSync(ready), patience);
    for (const file of [live, ready]) expect(await probe(file)).toEqual({ code: 0, stdout: "", stderr: "" });
    galley.kill("SIGTERM");
    expect(await galley.exited).toBe(0);
    for (const file of [live, ready]) {
      expect(await probe(file)).toEqual({ code: 1, stdout: "", stderr: `${file} does not exist` });
    }
  });

  test("stops in the opposite order on SIGTERM, and ends with 0", async () => {
    const ready = join(folder(), "ready");
    const flags = ["--readiness-file", ready, "--profiling", "--log-level", "server:debug"];
    const galley = await galleyOn(meshDir().path, ...flags);
    galley.kill("SIGTERM");
    expect(await galley.exited).toBe(0);
    const host = ["watchdog", "load", "readiness-file", "http", "metrics", "profiling", "ctrlz"];
    const order = [...host, "mcp source", "mcp", "snapshotter", "processing", "first snapshots", "analysis"];
    expect(components(galley.log(), "started")).toEqual(order);
    expect(components(galley.log(), "stopped")).toEqual(order.toReversed());
  });

  test("changes log levels while it runs", async () => {
    const galley = await galleyOn(meshDir().path, "--log-level", "warn,server:silent");
    const change = { body: JSON.stringify({ output_level: "info" }) };
    expect((await ask("PUT", galley.ctrlzPort, "/scopej/source", change)).status).toBe(202);
    galley.kill("SIGHUP");
    await galley.line(/"scope":"source","msg":"reloading sources"/, patience);
    expect((await ask("PUT", galley.ctrlzPort, "/scopej/source", { body: "{}" })).status).toBe(400);
  });
});
