import { describe, expect, onTestFinished, test } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { encodeSinkRequest } from "../mcp/sink/encode-sink-request.ts";
import { eventually } from "../testing/eventually.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { TempTree } from "../testing/temp-tree.ts";
import { createGrpcClient } from "../transport/client/grpc-client.ts";
import { type ControlPlaneOptions, createControlPlane } from "./control-plane.ts";
import { resourceSourcePath } from "./mcp/mcp-paths.ts";

function serviceEntry(name: string, resolution = "STATIC"): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ${name}, namespace: shop }
spec:
  hosts: [${name}.shop.example]
  resolution: ${resolution}
  ports: [{ number: 80, name: http, protocol: HTTP }]
  endpoints: [{ address: 10.0.0.1 }]
`;
}

async function tree(files: Readonly<Record<string, string>>): Promise<TempTree> {
  const made = await TempTree.create();
  onTestFinished(() => made.close());
  for (const [file, text] of Object.entries(files)) await made.write(file, text);
  return made;
}

const anyPorts = { xds: "127.0.0.1:0", http: "127.0.0.1:0", metrics: "127.0.0.1:0", ctrlz: "127.0.0.1:0" };

function planeOn(directory: string, options: ControlPlaneOptions = {}) {
  const logger = new RecordingLogger();
  const plane = createControlPlane({ ...anyPorts, sources: [`file:${directory}`], logger, ...options });
  onTestFinished(() => plane.stop());
  return { plane, logger };
}

async function page(address: string, path: string): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`http://${address}${path}`);
  return { status: response.status, body: await response.text() };
}

describe("a control plane", () => {
  test("is ready when proxies get the objects of all sources, and reports its addresses", async () => {
    const { directory } = await tree({ "a.yaml": serviceEntry("reviews") });
    const { plane } = planeOn(directory);
    const addresses = await plane.start();
    expect(plane.summary()).toEqual({ services: 1, warnings: 0, errors: 0, unenforced: {} });
    expect(await page(addresses.http, "/ready")).toEqual({ status: 200, body: "ready\n" });
    expect(JSON.parse((await page(addresses.http, "/debug/addresses")).body)).toEqual(addresses);
    expect((await page(addresses.metrics, "/metrics")).body).toContain("\npilot_services 1\n");
    expect((await page(addresses.metrics, "/version")).status).toBe(200);
    expect((await page(addresses.http, "/debug")).body).toContain("/debug/syncz");
    expect(await page(addresses.http, "/")).toEqual({ status: 200, body: expect.stringContaining("/debug ") });
  });

  test("starts the listeners for proxies last, and stops them first", async () => {
    const { directory } = await tree({ "a.yaml": serviceEntry("reviews") });
    const { plane, logger } = planeOn(directory, { logLevel: { server: "debug" } });
    await plane.start();
    await plane.stop();
    const names = (message: string) =>
      logger.lines
        .filter((line) => line.message === message)
        .map(({ fields }) => ("component" in fields ? fields.component : ""));
    const order = [
      "load",
      "http",
      "metrics",
      "ctrlz",
      "snapshotter",
      "processing",
      "first snapshots",
      "analysis",
      "key sets",
    ];
    const proxies = ["discovery", "first push", "conflicts", "patches", "xds"];
    expect(names("started")).toEqual([...order, ...proxies]);
    expect(names("stopped")).toEqual([...order, ...proxies].toReversed());
  });

  test("limits the requests and streams of a sink as configured", async () => {
    const { directory } = await tree({ "a.yaml": serviceEntry("reviews") });
    const { plane } = planeOn(directory, {
      mcp: "127.0.0.1:0",
      mcpRequestIntervalMs: 3_600_000,
      mcpRequestBurst: 2,
      mcpStreamIntervalMs: 3_600_000,
      mcpStreamBurst: 1,
    });
    const { mcp, metrics } = await plane.start();
    const client = createGrpcClient({ address: mcp, logger: new RecordingLogger() });
    onTestFinished(() => client.stop());
    await client.start();
    let pushes = 0;
    const statuses: (number | undefined)[] = [];
    const open = () => {
      const stream = client.open(resourceSourcePath);
      stream.attach({
        onMessage: () => void pushes++,
        onFlushed: () => undefined,
        onClose: (reason) => void statuses.push(reason.type === "server" ? reason.status?.code : undefined),
      });
      return stream;
    };
    const throttled = async () => (await page(metrics, "/metrics")).body.includes("\nbinnacle_mcp_throttled_total 1\n");
    const stream = open();
    for (const collection of ["gateways", "serviceentries", "virtualservices"]) {
      const says = { collection: `istio/networking/v1alpha3/${collection}`, nonce: "", incremental: false };
      stream.send(encodeSinkRequest({ id: "sink", annotations: {} }, says), []);
    }
    await eventually("one request waits", throttled, { seconds: 20 });
    await eventually("the others are answered", () => pushes === 2, { seconds: 20 });
    open();
    await eventually("the second stream is refused", () => statuses.length > 0, { seconds: 20 });
    expect([pushes, statuses]).toEqual([2, [GrpcStatus.RESOURCE_EXHAUSTED]]);
  });

  test("shows every accepted object with its place", async () => {
    const { directory } = await tree({ "a.yaml": serviceEntry("reviews") });
    const { plane } = planeOn(directory);
    const configs = JSON.parse((await page((await plane.start()).http, "/debug/configz")).body);
    expect(configs["istio/networking/v1alpha3/serviceentries"]).toMatchObject([
      { key: "shop/reviews", kind: "ServiceEntry", reference: `${directory}/a.yaml:2` },
    ]);
  });

  test("follows its files, and reports their issues until they are fixed", async () => {
    const files = await tree({ "a.yaml": serviceEntry("reviews") });
    const { plane, logger } = planeOn(files.directory);
    const { http, metrics } = await plane.start();
    await files.write("b.yaml", serviceEntry("ratings", "MAGIC"));
    await plane.reload();
    await plane.idle();
    expect(plane.summary()).toEqual({ services: 1, warnings: 0, errors: 1, unenforced: {} });
    expect(logger.messages("warn")).toEqual(["config rejected"]);
    expect(JSON.parse((await page(http, "/debug/issues")).body)).toMatchObject({
      issues: [{ severity: "error", object: "ServiceEntry shop/ratings", reference: `${files.directory}/b.yaml:7` }],
    });
    expect((await page(metrics, "/metrics")).body).toContain('binnacle_config_issues{severity="error"} 1');

    await files.write("b.yaml", serviceEntry("ratings"));
    await plane.reload();
    await plane.idle();
    expect(plane.summary()).toEqual({ services: 2, warnings: 0, errors: 0, unenforced: {} });
    expect(logger.messages("info")).toContain("config issue cleared");
  });

  test("starts nothing if a directory does not exist", async () => {
    const { directory } = await tree({});
    const { plane } = planeOn(`${directory}/nowhere`);
    await expect(plane.start()).rejects.toMatchObject({ code: "source-unavailable" });
  });

  test("names the flag of an address in use, and leaves nothing running", async () => {
    const { directory } = await tree({});
    const { xds, http } = await planeOn(directory).plane.start();
    await expect(planeOn(directory, { xds }).plane.start()).rejects.toMatchObject({
      code: "listen-failed",
      message: `--xds: ${xds} is already in use`,
    });
    await expect(planeOn(directory, { http }).plane.start()).rejects.toThrow(`--http: ${http} is already in use`);
  });

  test("refuses an unknown kind of source", () => {
    expect(() => createControlPlane({ sources: ["consul:"], logger: new RecordingLogger() })).toThrow(
      "--source consul:: unknown scheme consul; use one of file",
    );
  });
});
