import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { TempTree } from "../testing/temp-tree.ts";
import { until } from "../testing/until.ts";
import { type ControlPlaneOptions, createGalley } from "./control-plane.ts";

const gateway = `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec:
  servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: ["*"] }]
`;

const anyPorts = { mcp: "127.0.0.1:0", http: "127.0.0.1:0", metrics: "127.0.0.1:0", ctrlz: "127.0.0.1:0" };

async function tree(): Promise<TempTree> {
  const made = await TempTree.create();
  onTestFinished(() => made.close());
  await made.write("mesh/edge.yaml", gateway);
  return made;
}

function galleyOn(files: TempTree, options: ControlPlaneOptions = {}) {
  const logger = new RecordingLogger();
  const galley = createGalley({ ...anyPorts, sources: [`file:${files.path("mesh")}`], logger, ...options });
  onTestFinished(() => galley.stop());
  return { galley, logger };
}

async function page(address: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`http://${address}${path}`, init);
  return { status: response.status, body: await response.text() };
}

/** The components that the log names with this message, in log order. */
function components(logger: RecordingLogger, message: "started" | "stopped"): readonly string[] {
  const lines = logger.lines.filter((line) => line.message === message);
  return lines.map(({ fields }) => ("component" in fields ? String(fields.component) : ""));
}

describe("Galley alone", () => {
  test("publishes the objects of its sources, and serves no proxies", async () => {
    const { galley } = galleyOn(await tree());
    const addresses = await galley.start();
    expect(addresses).toMatchObject({ xds: "off", webhook: "off" });
    expect(galley.summary()).toEqual({ objects: 1, warnings: 0, errors: 0, unenforced: {} });
    expect(await page(addresses.http, "/ready")).toEqual({ status: 200, body: "ready\n" });
    expect((await page(addresses.http, "/debug")).body).not.toContain("syncz");
    const { Snapshots, Groups } = JSON.parse((await page(addresses.ctrlz, "/configj/")).body);
    expect(Groups).toEqual(["default", "syntheticServiceEntry"]);
    expect(Snapshots).toContainEqual(
      expect.objectContaining({ Collection: "istio/networking/v1alpha3/gateways", Names: ["shop/edge"] }),
    );
    expect(JSON.parse((await page(addresses.ctrlz, "/collectionj/")).body)).toHaveProperty("galley");
    expect((await page(addresses.metrics, "/metrics")).body).toContain('istio_build{component="galley",tag="');
  });

  test("refuses to start without a source and a webhook", () => {
    expect(() => createGalley({ sources: [], logger: new RecordingLogger() })).toThrow(
      expect.objectContaining({ code: "bad-option", message: expect.stringContaining("nothing to do") }),
    );
  });

  test.each(["http", "metrics", "ctrlz"] as const)(
    "does not start when the address of --%s is in use",
    async (name) => {
      const files = await tree();
      const taken = (await galleyOn(files).galley.start())[name];
      await expect(galleyOn(files, { [name]: taken }).galley.start()).rejects.toMatchObject({
        code: "listen-failed",
        message: `--${name}: ${taken} is already in use`,
      });
    },
  );

  test("starts without ctrlz when another process uses the default address", async () => {
    const holder = createServer().listen(9876, "127.0.0.1");
    // Either way the port is in use afterwards.
    await once(holder, "listening").catch(() => undefined);
    const { galley, logger } = galleyOn(await tree(), { ctrlz: "127.0.0.1:9876" });
    expect((await galley.start()).ctrlz).toBe("off");
    expect(logger.messages("warn")).toContain("ctrlz not started");
    holder.close();
  });

  test("does not start when a source fails to start, and leaves nothing behind", async () => {
    const files = await tree();
    const livenessFile = files.path("live");
    const { galley, logger } = galleyOn(files, { sources: [`file:${files.path("nowhere")}`], livenessFile });
    await expect(galley.start()).rejects.toMatchObject({ code: "source-unavailable" });
    expect(existsSync(livenessFile)).toBe(false);
    expect(logger.messages("error")).toEqual([]);
  });

  test("starts from its probes to its sources, and stops in reverse order", async () => {
    const files = await tree();
    const { galley, logger } = galleyOn(files, {
      livenessFile: files.path("live"),
      readinessFile: files.path("ready"),
      profiling: true,
      logLevel: { server: "debug" },
    });
    await galley.start();
    await galley.stop();
    const host = ["load", "liveness-file", "readiness-file", "http", "metrics", "profiling", "ctrlz"];
    const order = [...host, "mcp source", "mcp", "snapshotter", "processing", "first snapshots", "analysis"];
    expect(components(logger, "started")).toEqual(order);
    expect(components(logger, "stopped")).toEqual(order.toReversed());
  });

  test("is alive before it is ready, and shows both with probe files", async () => {
    const files = await tree();
    const clock = new FakeClock();
    const [livenessFile, readinessFile] = [files.path("live"), files.path("ready")];
    const probes = { livenessFile, readinessFile, probeIntervalMs: 200 };
    const { galley, logger } = galleyOn(files, { clock, ...probes, logLevel: { server: "debug" } });
    const started = galley.start();
    await until(() => components(logger, "started").includes("processing"));
    expect([livenessFile, readinessFile].map(existsSync)).toEqual([true, false]);
    clock.advance(500);
    await started;
    clock.advance(100);
    expect(existsSync(readinessFile)).toBe(true);
    await galley.stop();
    expect([livenessFile, readinessFile].filter(existsSync)).toEqual([]);
  });

  test("names the flag of a probe file that cannot be written", async () => {
    const files = await tree();
    const { galley } = galleyOn(files, { livenessFile: files.path("no/live") });
    await expect(galley.start()).rejects.toMatchObject({
      code: "bad-option",
      message: `--liveness-file: ${files.path("no/live")} cannot be written: there is no such folder`,
    });
  });

  test("refuses the same file for both probes", async () => {
    const files = await tree();
    const probe = files.path("probe");
    expect(() => galleyOn(files, { livenessFile: probe, readinessFile: probe })).toThrow(
      "--liveness-file and --readiness-file must be different files",
    );
  });

  test("changes its log levels while it runs", async () => {
    const files = await tree();
    const { galley, logger } = galleyOn(files);
    const { ctrlz } = await galley.start();
    await galley.reload();
    const told = () => logger.messages("info").filter((message) => message === "reloading sources").length;
    expect(told()).toBe(1);
    const change = { method: "PUT", body: JSON.stringify({ output_level: "warn" }) };
    expect((await page(ctrlz, "/scopej/source", change)).status).toBe(202);
    await galley.reload();
    expect(told()).toBe(1);
  });

  test("serves profiles only when they are on, and warns when ctrlz is open to the network", async () => {
    const files = await tree();
    const closed = await galleyOn(files).galley.start();
    expect((await page(closed.ctrlz, "/debug/pprof/")).status).toBe(404);
    const { galley, logger } = galleyOn(files, { profiling: true, ctrlz: "0.0.0.0:0" });
    const open = await galley.start();
    const port = open.ctrlz.slice(open.ctrlz.lastIndexOf(":"));
    expect((await page(`127.0.0.1${port}`, "/debug/pprof/heap")).status).toBe(200);
    expect(logger.messages("warn")).toEqual(["ctrlz is open to the network"]);
  });
});
