import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { fleetMembers } from "../../src/cli/nodes/fleet-members.ts";
import { Fleet, type FleetReport } from "../../src/fleet/fleet.ts";
import type { FleetShares } from "../../src/fleet/plan.ts";
import { renderReport } from "../../src/fleet/render-report.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { main } from "./support/checkout.ts";
import { openShop, splitYaml } from "./support/envoy/shop.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { serviceYaml } from "./support/yaml.ts";

const target = "reviews.shop.svc.cluster.local:9080";
const patient = { seconds: 60 };

/** A fleet in this process that ends with the test. */
function sail(port: number, proxies: number, shares: Partial<FleetShares> = {}): Fleet & Disposable {
  const members = fleetMembers({
    proxies,
    shares: { routers: 0.2, grpc: 0.2, delta: 0.5, slow: 0, nack: 0, reconnect: 0, ...shares },
    namespaces: ["shop"],
    routerLabels: { app: "gw" },
    targets: [target],
    reconnectEveryMs: 500,
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
  const fleet = new Fleet({ address: { host: "127.0.0.1", port }, members, perSecond: undefined });
  fleet.start();
  return Object.assign(fleet, { [Symbol.dispose]: () => fleet.stop() });
}

/** The expected report about every server that keeps the rules. */
const flawless = { late: 0, broken: 0, lost: {}, remarks: [] };

test("a fleet of every kind gets in sync, and its counts equal those of the server", async () => {
  await using shop = await openShop(splitYaml(50, 50));
  await using binnacle = await startBinnacle({ dir: shop.mesh.path });
  using fleet = sail(binnacle.xdsPort, 50);
  await eventually("everybody is in sync", () => fleet.report.inSync === 50, patient);
  const { report } = fleet;
  expect(report).toMatchObject({ proxies: 50, connected: 50, ...flawless });
  expect(report.firstSyncMs.count).toBe(50);

  const { body } = await get(binnacle.metricsPort, "/metrics");
  const pushes = (type: string) =>
    Number(new RegExp(`^pilot_xds_pushes\\{type="${type}"\\} (\\d+)$`, "mu").exec(body)?.[1]);
  const { CDS, EDS, LDS, RDS } = report.types;
  const counted = [CDS, EDS, LDS, RDS].map(({ responses }) => responses);
  expect(counted).toEqual(["cds", "eds", "lds", "rds"].map(pushes));
});

test("serves slow readers, clients that NACK and clients that reconnect, without effect on the rest", async () => {
  await using shop = await openShop(splitYaml(50, 50));
  await using binnacle = await startBinnacle({ dir: shop.mesh.path });
  using fleet = sail(binnacle.xdsPort, 50, { grpc: 0, slow: 0.1, nack: 0.1, reconnect: 0.2 });
  await eventually("everybody is in sync", () => fleet.report.late === 0, patient);
  let edits = 0;
  const enough = () => {
    const name = `extra-${edits++}`;
    shop.mesh.write("extra.yaml", serviceYaml({ name, port: 9080, endpoints: [{ port: 9 }] }));
    const { types, resumeMs, changes } = fleet.report;
    return types.CDS.rejected > 0 && resumeMs.count > 10 && changes.length > 10;
  };
  await eventually("all of them have shown their manners", enough, patient);
  await eventually("everybody is in sync", () => fleet.report.late === 0, patient);
  expect(fleet.report).toMatchObject(flawless);
});

test("every proxy sees a change of the mesh, and the report shows how it spread", async () => {
  await using shop = await openShop(splitYaml(50, 50));
  await using binnacle = await startBinnacle({ dir: shop.mesh.path });
  using fleet = sail(binnacle.xdsPort, 20, { grpc: 0 });
  await eventually("everybody is in sync", () => fleet.report.inSync === 20, patient);
  shop.mesh.write("two.yaml", serviceYaml({ name: "two", port: 9080, endpoints: [{ port: 9 }] }));
  const spread = () => {
    const change = fleet.report.changes.find(({ name }) => name === "outbound|9080||two.shop.svc.cluster.local");
    return change?.spreadMs.count === 20 ? change : undefined;
  };
  expect(await eventually("everybody has the new cluster", spread, patient)).toMatchObject({ type: "CDS" });
  expect(renderReport(fleet.report)).toContain("from the first proxy to the others:");
});

test("the report says that no server listens", async () => {
  using fleet = sail(await freePort(), 2);
  const refused = () => (fleet.report.lost["ECONNREFUSED"] ?? 0) >= 2;
  await eventually("nobody listens", refused, patient);
  expect(renderReport(fleet.report)).toMatch(/^proxies {3}2, 0 connected, 0 in sync$/mu);
  expect(renderReport(fleet.report)).toMatch(/^2 proxies are not in sync\n\d+ streams ended: ECONNREFUSED$/mu);
});

test("the command prints the report as JSON, and fails when no proxy was in sync", async () => {
  const command = [main, "fleet", "--xds", `127.0.0.1:${await freePort()}`, "--proxies", "3", "--duration", "10ms"];
  const failed = promisify(execFile)(process.execPath, [...command, "-o", "json"]);
  const { code, stdout } = (await failed.catch((error: unknown) => error)) as { code: number; stdout: string };
  expect(code).toBe(1);
  expect(JSON.parse(stdout) as FleetReport).toMatchObject({ proxies: 3, connected: 0, late: 3 });
});
