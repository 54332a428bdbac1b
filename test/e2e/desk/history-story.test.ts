import { readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../src/testing/eventually.ts";
import { TempTree } from "../../../src/testing/temp-tree.ts";
import { clusterType } from "../../../src/xds/type-urls.ts";
import { startBinnacle } from "../support/binnacle/server.ts";
import { sidecarNode } from "../support/envoy/bootstrap.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { describeWith } from "../support/peers.ts";
import { shared } from "../support/shared.ts";
import { DeltaClient } from "../support/xds/ads-client.ts";
import { serviceYaml } from "../support/yaml.ts";
import { axeViolations, openPage, startBrowser } from "./support/browser.ts";

const describeWithBrowser = await describeWith("chromium");
const soon = { seconds: 20 };
const service = (port: number) => serviceYaml({ name: "reviews", port, endpoints: [{ port: 9 }] });

describeWithBrowser("an operator after an incident", () => {
  const browser = shared(async (resources) => resources.adopt(await startBrowser(), (each) => each.close()));

  test("compares two moments, for the objects and for a proxy, and copies the command to go back", async () => {
    using mesh = new MeshDir({ "reviews.yaml": service(9080) });
    const tree = await TempTree.create();
    onTestFinished(() => tree.close());
    const history = tree.path("history");
    await using server = await startBinnacle({ dir: mesh.path, args: ["--history", history] });
    await eventually("the history begins", () => readdirSync(history).length > 0, soon);
    using proxy = new DeltaClient(server.xdsPort, sidecarNode);
    proxy.subscribe(clusterType);
    proxy.ack(await proxy.next(clusterType));
    mesh.write("reviews.yaml", service(9081));
    proxy.ack(await proxy.next(clusterType));

    const origin = `http://127.0.0.1:${server.httpPort}`;
    const { page, complaints } = await openPage(browser(), `${origin}/history`, { theme: "light", width: 1280 });
    page.setDefaultTimeout(30_000);
    await page.getByRole("link", { name: "ServiceEntry shop/reviews updated" }).click();
    await page.getByText("spec.ports[0].number", { exact: true }).waitFor();
    const field = page.getByLabel("What differs for a proxy");
    await eventually(
      "the proxy is in the history",
      async () => {
        await page.reload();
        await page.getByRole("heading", { name: "Proxies" }).waitFor();
        return (await field.count()) > 0;
      },
      soon,
    );
    await field.selectOption({ label: "client-0.default" });
    await page.getByText("outbound|9081||reviews.shop.svc.cluster.local").first().waitFor();
    expect(new URL(page.url()).search).toContain("from=1&to=2&node=sidecar");
    await page.getByText(`binnacle history restore 1 --history ${history}`).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });
});
