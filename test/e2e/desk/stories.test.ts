import { expect, test } from "vitest";
import { eventually } from "../../../src/testing/eventually.ts";
import { clusterType } from "../../../src/xds/type-urls.ts";
import { startBinnacle } from "../support/binnacle/server.ts";
import { sidecarNode } from "../support/envoy/bootstrap.ts";
import { freePort } from "../support/free-port.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { describeWith } from "../support/peers.ts";
import { shared } from "../support/shared.ts";
import { DeltaClient } from "../support/xds/ads-client.ts";
import { SteadyFleet } from "../support/xds/steady-fleet.ts";
import { objectYaml, serviceYaml } from "../support/yaml.ts";
import { axeViolations, openPage, startBrowser } from "./support/browser.ts";

const describeWithBrowser = await describeWith("chromium");
const wide = { theme: "light", width: 1280 } as const;
const bound = { seconds: 20 };

function weightYaml(weight: number): string {
  const host = "reviews.shop.svc.cluster.local";
  const route = [
    { destination: { host, subset: "v1" }, weight },
    { destination: { host, subset: "v2" }, weight: 100 - weight },
  ];
  return objectYaml("VirtualService", "reviews", { hosts: [host], http: [{ route }] });
}

const subsets = objectYaml("DestinationRule", "reviews", {
  host: "reviews.shop.svc.cluster.local",
  subsets: ["v1", "v2"].map((version) => ({ name: version, labels: { version } })),
});

const files = {
  "reviews.yaml": serviceYaml({ name: "reviews", port: 9080, endpoints: [{ port: 9 }] }),
  "routes.yaml": weightYaml(90),
  "subsets.yaml": subsets,
};

describeWithBrowser("an operator at the desk of a live mesh", () => {
  const browser = shared(async (resources) => resources.adopt(await startBrowser(), (each) => each.close()));
  const live = shared(async (resources) => {
    const mesh = resources.use(new MeshDir(files));
    const server = resources.use(await startBinnacle({ dir: mesh.path }));
    const fleet = resources.use(new SteadyFleet(server.xdsPort, mesh));
    await eventually("the fleet is in sync", () => fleet.report.inSync === fleet.report.proxies, bound);
    return { mesh, server, origin: `http://127.0.0.1:${server.httpPort}` };
  });

  test("edits a weight, and watches the change until all proxies have acknowledged it", async () => {
    const { mesh, origin } = live();
    const { page, complaints } = await openPage(browser(), `${origin}/changes`, wide);
    await page.getByText("Live", { exact: true }).waitFor();
    mesh.write("routes.yaml", weightYaml(70));
    const row = page.locator("ol.changes > li").first();
    await row.getByText("VirtualService shop/reviews updated").waitFor();
    await row.getByText(/^acknowledged by all \d+$/u).waitFor();
    expect(await row.textContent()).toContain("routes.yaml:");
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: /^Push \d+$/u }).waitFor();
    await page.getByRole("rowheader", { name: "RDS" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("breaks a file, and finds the line on the overview", async () => {
    const { mesh, origin } = live();
    const { page, complaints } = await openPage(browser(), origin, wide);
    await page.getByText("The mesh is well").waitFor();
    mesh.write("broken.yaml", "kind: VirtualService\n  spec: [\n");
    await page.getByText("What to do next").waitFor();
    await page
      .getByText(/broken\.yaml:[12]$/u)
      .first()
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    mesh.remove("broken.yaml");
    await page.getByText("The mesh is well").waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("finds the proxy that refuses a change, and its words", async () => {
    const { mesh, server, origin } = live();
    using proxy = new DeltaClient(server.xdsPort, sidecarNode);
    proxy.subscribe(clusterType);
    proxy.ack(await proxy.next(clusterType));
    const { page, complaints } = await openPage(browser(), `${origin}/proxies?search=client-0`, wide);
    await page.getByText("in sync", { exact: true }).waitFor();
    mesh.write("refused.yaml", serviceYaml({ name: "refused", port: 9081, endpoints: [{ port: 9 }] }));
    proxy.nack(await proxy.next(clusterType), "cluster refused: no such transport socket");
    await page.getByText("rejecting", { exact: true }).waitFor();
    await page.getByRole("link", { name: /^client-0/u }).click();
    await page.getByText("cluster refused: no such transport socket").first().waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.getByRole("link", { name: "Changes" }).click();
    const row = page.locator("ol.changes > li", { hasText: "ServiceEntry shop/refused added" });
    await row.getByRole("link").click();
    await page.getByText("cluster refused: no such transport socket").first().waitFor();
    mesh.remove("refused.yaml");
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("keeps the page open while the server restarts", async () => {
    using mesh = new MeshDir(files);
    const httpPort = await freePort();
    const args = ["--http", `127.0.0.1:${httpPort}`];
    const first = await startBinnacle({ dir: mesh.path, args });
    const { page, complaints } = await openPage(browser(), `http://127.0.0.1:${httpPort}/`, wide);
    await page.getByText("Live", { exact: true }).waitFor();
    const old = page.locator("ol.changes > li a").first();
    const href = await old.getAttribute("href");
    complaints.expectOutage();
    await first.stop();
    await page.getByText("Reconnecting").waitFor();
    await using _second = await startBinnacle({ dir: mesh.path, args });
    await page.getByText("Live", { exact: true }).waitFor();
    // Ids are of one start of the server: the page has read its lists again.
    await page.locator(`a[href="${href}"]`).waitFor({ state: "detached" });
    await page.getByText("The mesh is well").waitFor();
    await eventually("no error is left", async () => (await page.getByRole("alert").count()) === 0, bound);
    mesh.write("routes.yaml", weightYaml(60));
    await page.getByText("VirtualService shop/reviews updated").first().waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
