import { describe, expect, onTestFinished, test } from "vitest";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { TempTree } from "../testing/temp-tree.ts";
import { type ControlPlaneOptions, createControlPlane } from "./control-plane.ts";

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
  test("is ready when its sources are in what proxies get, and says where it listens", async () => {
    const { directory } = await tree({ "a.yaml": serviceEntry("reviews") });
    const { plane } = planeOn(directory);
    const addresses = await plane.start();
    expect(plane.summary()).toEqual({ services: 1, warnings: 0, errors: 0 });
    expect(await page(addresses.http, "/ready")).toEqual({ status: 200, body: "ready\n" });
    expect(JSON.parse((await page(addresses.http, "/debug/addresses")).body)).toEqual(addresses);
    expect((await page(addresses.metrics, "/metrics")).body).toContain("\npilot_services 1\n");
    expect((await page(addresses.metrics, "/version")).status).toBe(200);
    expect((await page(addresses.http, "/debug")).body).toContain("/debug/syncz");
  });

  test("shows every accepted object with its place", async () => {
    const { directory } = await tree({ "a.yaml": serviceEntry("reviews") });
    const { plane } = planeOn(directory);
    const configs = JSON.parse((await page((await plane.start()).http, "/debug/configz")).body);
    expect(configs["istio/networking/v1alpha3/serviceentries"]).toMatchObject([
      { key: "shop/reviews", kind: "ServiceEntry", reference: `${directory}/a.yaml:2` },
    ]);
  });

  test("follows its files, and reports what is wrong with them until it is mended", async () => {
    const files = await tree({ "a.yaml": serviceEntry("reviews") });
    const { plane, logger } = planeOn(files.directory);
    const { http, metrics } = await plane.start();
    await files.write("b.yaml", serviceEntry("ratings", "MAGIC"));
    await plane.reload();
    await plane.idle();
    expect(plane.summary()).toEqual({ services: 1, warnings: 0, errors: 1 });
    expect(logger.messages("warn")).toEqual(["config rejected"]);
    expect(JSON.parse((await page(http, "/debug/issues")).body)).toMatchObject({
      issues: [{ severity: "error", object: "ServiceEntry shop/ratings", reference: `${files.directory}/b.yaml:7` }],
    });
    expect((await page(metrics, "/metrics")).body).toContain('binnacle_config_issues{severity="error"} 1');

    await files.write("b.yaml", serviceEntry("ratings"));
    await plane.reload();
    await plane.idle();
    expect(plane.summary()).toEqual({ services: 2, warnings: 0, errors: 0 });
    expect(logger.messages("info")).toContain("config issue cleared");
  });

  test("starts nothing on a directory that is not there", async () => {
    const { directory } = await tree({});
    const { plane } = planeOn(`${directory}/nowhere`);
    await expect(plane.start()).rejects.toMatchObject({ code: "source-unavailable" });
  });

  test("names the flag of an address that is taken, and leaves nothing running", async () => {
    const { directory } = await tree({});
    const { xds, http } = await planeOn(directory).plane.start();
    await expect(planeOn(directory, { xds }).plane.start()).rejects.toMatchObject({
      code: "listen-failed",
      message: `--xds: ${xds} is already in use`,
    });
    await expect(planeOn(directory, { http }).plane.start()).rejects.toThrow(`--http: ${http} is already in use`);
  });

  test("refuses a kind of source that it does not know", () => {
    expect(() => createControlPlane({ sources: ["consul:"], logger: new RecordingLogger() })).toThrow(
      "--source consul:: consul: is none of the schemes file",
    );
  });
});
