import type { Browser } from "playwright-core";
import { expect, test } from "vitest";
import type { ControlPlane } from "../../../src/desk/api/model/control-plane.ts";
import type { ProxyListing } from "../../../src/desk/api/model/proxies.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { Fleet } from "../../../src/fleet/fleet.ts";
import { clusterType } from "../../../src/xds/type-urls.ts";
import { startBinnacle } from "../support/binnacle/server.ts";
import { sidecarNode } from "../support/envoy/bootstrap.ts";
import { startEnvoy } from "../support/envoy/envoy.ts";
import { freePort } from "../support/free-port.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { describeWith } from "../support/peers.ts";
import { shared } from "../support/shared.ts";
import { TokenIssuer } from "../support/tls/token-issuer.ts";
import { DeltaClient } from "../support/xds/ads-client.ts";
import { SteadyFleet } from "../support/xds/steady-fleet.ts";
import { objectYaml, serviceYaml } from "../support/yaml.ts";
import { axeViolations, type Look, openPage, startBrowser } from "./support/browser.ts";
import { largeFleet, largeMesh } from "./support/large-mesh.ts";

const describeWithBrowser = await describeWith("chromium", "envoy");
const wide = { theme: "light", width: 1280 } as const;
/** `npm run desk` adds 10 000 objects and 2 000 proxies. */
const isWhole = process.env["BINNACLE_WHOLE"] !== undefined;
const bound = { seconds: isWhole ? 900 : 20 };

function weightYaml(weight: number, name = "reviews"): string {
  const host = "reviews.shop.svc.cluster.local";
  const route = [
    { destination: { host, subset: "v1" }, weight },
    { destination: { host, subset: "v2" }, weight: 100 - weight },
  ];
  return objectYaml("VirtualService", name, { hosts: [host], http: [{ route }] });
}

const subsets = objectYaml("DestinationRule", "reviews", {
  host: "reviews.shop.svc.cluster.local",
  subsets: ["v1", "v2"].map((version) => ({ name: version, labels: { version } })),
});

const realNode = {
  id: "sidecar~127.0.0.8~real-0.shop~shop.svc.cluster.local",
  metadata: { ...sidecarNode.metadata, NAMESPACE: "shop", INSTANCE_IPS: "127.0.0.8" },
};

/** The real Envoy needs no more, also in the large mesh. */
const scope = objectYaml("Sidecar", "default", { egress: [{ hosts: ["./*"] }] });

const files = {
  "reviews.yaml": serviceYaml({
    name: "reviews",
    port: 9080,
    endpoints: ["v1", "v2"].map((version, index) => ({ port: 9 + index, labels: { version } })),
  }),
  "routes.yaml": weightYaml(90),
  "subsets.yaml": subsets,
  "scope.yaml": scope,
};

/** The proxies beside the real Envoy. */
function startFleet(xdsPort: number, mesh: MeshDir): Disposable & Pick<Fleet, "report"> {
  if (!isWhole) return new SteadyFleet(xdsPort, mesh);
  const address = { host: "127.0.0.1", port: xdsPort };
  const fleet = new Fleet({ address, members: largeFleet(2_000), perSecond: 100 });
  fleet.start();
  return Object.assign(fleet, { [Symbol.dispose]: () => fleet.stop() });
}

/** With 2 000 proxies beside the browser on two cores, the server may refuse pages for some seconds. The page asks again. */
async function openDesk(browser: Browser, url: string, look: Look): ReturnType<typeof openPage> {
  const opened = await openPage(browser, url, look);
  if (isWhole) opened.complaints.expectOverload();
  return opened;
}

/** A script that only Envoy can judge. */
function scriptYaml(script: string): string {
  const subFilter = { name: "envoy.filters.http.router" };
  const filter = { name: "envoy.filters.network.http_connection_manager", subFilter };
  const typed_config = {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
    default_source_code: { inline_string: script },
  };
  const match = { context: "SIDECAR_OUTBOUND", listener: { filterChain: { filter } } };
  const patch = { operation: "INSERT_BEFORE", value: { name: "script", typed_config } };
  const text = objectYaml("EnvoyFilter", "script", { configPatches: [{ applyTo: "HTTP_FILTER", match, patch }] });
  return text.replace("/v1", "/v1alpha3");
}

async function dumpOf(envoy: { configDump(): Promise<unknown> }): Promise<string> {
  return JSON.stringify(await envoy.configDump());
}

describeWithBrowser("an operator at the desk of a live mesh", () => {
  const browser = shared(async (resources) => resources.adopt(await startBrowser(), (each) => each.close()));
  const live = shared(async (resources) => {
    const mesh = resources.use(new MeshDir(isWhole ? { ...largeMesh(), ...files } : files));
    const issuer = resources.use(await TokenIssuer.create());
    const server = resources.use(await startBinnacle({ dir: mesh.path, args: [...issuer.flags] }));
    const fleet = resources.use(startFleet(server.xdsPort, mesh));
    const envoy = resources.use(await startEnvoy({ xdsPort: server.xdsPort, mode: "delta", node: realNode }));
    await eventually("the fleet is in sync", () => fleet.report.inSync === fleet.report.proxies, bound);
    await envoy.settled();
    return { mesh, server, envoy, issuer, origin: `http://127.0.0.1:${server.httpPort}` };
  });

  test("edits a weight, and watches the change until all proxies have acknowledged it", async () => {
    const { mesh, origin, envoy } = live();
    const { page, complaints } = await openDesk(browser(), `${origin}/changes`, wide);
    await page.getByText("Live", { exact: true }).waitFor();
    mesh.write("routes.yaml", weightYaml(70));
    const row = page.locator("ol.changes > li").first();
    await row.getByText("VirtualService shop/reviews updated").waitFor();
    await row.getByText(isWhole ? /^acknowledged by all 1.98\d$/u : /^acknowledged by all \d+$/u).waitFor();
    expect(await row.textContent()).toContain("routes.yaml:");
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: /^Push \d+$/u }).waitFor();
    await page.getByRole("rowheader", { name: "RDS" }).waitFor();
    // The page says that all have it, and the Envoy has it.
    expect(await dumpOf(envoy)).toContain('"weight":70');
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("breaks a file, and finds the line on the overview", async () => {
    const { mesh, origin } = live();
    const { page, complaints } = await openDesk(browser(), origin, wide);
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
    const { page, complaints } = await openDesk(browser(), `${origin}/proxies?search=client-0`, wide);
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
    // From the change to the object, and to its line.
    await page.getByRole("link", { name: "ServiceEntry shop/refused" }).first().click();
    await page.getByRole("heading", { name: "ServiceEntry shop/refused" }).waitFor();
    await page
      .getByText(/refused\.yaml:1$/u)
      .first()
      .waitFor();
    mesh.remove("refused.yaml");
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("finds the object that a real Envoy refuses, and sees it leave the quarantine when it is corrected", async () => {
    const { mesh, origin, envoy } = live();
    const { page, complaints } = await openDesk(browser(), origin, wide);
    await page.getByText("The mesh is well").waitFor();
    mesh.write("script.yaml", scriptYaml("function envoy_on_response(handle)"));
    await page.getByText("EnvoyFilter shop/script is in quarantine: proxies refused it.").waitFor();
    await page.getByRole("link", { name: /^Show: EnvoyFilter shop\/script/u }).click();
    await page.getByRole("heading", { name: "EnvoyFilter shop/script" }).waitFor();
    // The words are Envoy's own.
    await page
      .getByText(/script load error: .*'end' expected/u)
      .first()
      .waitFor();
    await page
      .getByText(/script\.yaml:1$/u)
      .first()
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await dumpOf(envoy)).not.toContain("envoy_on_response");

    mesh.write("script.yaml", scriptYaml("function envoy_on_response(handle) end"));
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("The mesh is well").waitFor();
    await eventually("the Envoy runs the script", async () => (await dumpOf(envoy)).includes("(handle) end"), bound);
    mesh.remove("script.yaml");
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("finds the winner and the loser of a conflict", async () => {
    const { mesh, origin } = live();
    const { page, complaints } = await openDesk(browser(), `${origin}/mesh/conflicts`, wide);
    await page.getByText("No objects conflict.").waitFor();
    mesh.write("second.yaml", weightYaml(50, "reviews-second"));
    const row = page.locator("tbody tr").first();
    await row.getByText("virtual-host").waitFor();
    const [about, winner, losers] = await row.locator("th, td").allTextContents();
    expect(about).toContain("reviews.shop.svc.cluster.local");
    expect([winner, losers].join()).toMatch(/shop\/reviews.*,.*shop\/reviews-second/u);
    expect(await axeViolations(page)).toEqual([]);
    mesh.remove("second.yaml");
    await page.getByText("No objects conflict.").waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("goes from the graph of namespaces to a service, and sees a policy close it", async () => {
    const { mesh, origin } = live();
    const { page, complaints } = await openDesk(browser(), `${origin}/mesh`, wide);
    mesh.write("routes.yaml", weightYaml(70));
    if (isWhole) {
      // The graph has the largest namespaces, and the list has all services.
      await page.getByText("Most calls are limited").waitFor();
      await page.getByRole("link", { name: "Services", exact: true }).click();
      await page.getByLabel("Search").fill("reviews.shop");
      await page.getByRole("link", { name: "reviews.shop.svc.cluster.local" }).click();
    } else {
      await page.getByText("Every namespace may call every service.").waitFor();
      await page.locator(".graph a", { hasText: "shop (" }).click();
      await page.locator(".graph a", { hasText: "reviews.shop.svc" }).click();
    }
    await page.getByRole("heading", { name: "reviews.shop.svc.cluster.local" }).waitFor();
    await page.getByText("70 % to reviews.shop.svc.cluster.local (v1)").waitFor();
    const verdict = page.getByRole("table", { name: "Callers" }).getByRole("row").nth(1);
    await verdict.getByText("allowed", { exact: true }).waitFor();
    mesh.write("closed.yaml", objectYaml("AuthorizationPolicy", "closed", {}).replace("networking", "security"));
    await verdict.getByText("denied", { exact: true }).waitFor();
    await verdict.getByText("AuthorizationPolicy shop/closed").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    mesh.remove("closed.yaml");
    await verdict.getByText("allowed", { exact: true }).waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("explains a request, and sees what an edit would change without applying it", async () => {
    const { mesh, origin, envoy } = live();
    mesh.write("routes.yaml", weightYaml(80));
    await eventually("the Envoy has 80", async () => (await dumpOf(envoy)).includes('"weight":80'), bound);
    const { page, complaints } = await openDesk(browser(), `${origin}/explain`, wide);
    await page.getByLabel("The request arrives at the proxy").fill(realNode.id);
    await page.getByLabel("URL").fill("http://reviews.shop.svc.cluster.local:9080/");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText(/^Forwarded 80 % to outbound\|9080\|v1\|reviews/u).waitFor();
    await page.getByRole("link", { name: "VirtualService shop/reviews" }).first().waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.getByText("What if: try an edit").click();
    await page.getByLabel("Edited objects, as YAML").fill(weightYaml(0));
    await page.getByRole("button", { name: "Explain" }).click();
    const edited = page.getByRole("region", { name: "With the edit" });
    await edited.getByText(/^Forwarded to outbound\|9080\|v2\|reviews/u).waitFor();
    await page.getByText("Nothing was applied: no proxy has seen these objects.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await dumpOf(envoy)).toContain('"weight":80');
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("searches a proxy, opens its configuration to the line behind it, and compares it with another one", async () => {
    const { origin } = live();
    const { page, complaints } = await openDesk(browser(), `${origin}/proxies`, wide);
    await page.getByLabel("Search").fill("real-0");
    await page.getByText("1 proxy", { exact: true }).waitFor();
    await page.getByRole("link", { name: "real-0.shop" }).click();
    await page.getByLabel("Search by name, or by the object").fill("VirtualService/shop/reviews");
    await page.getByRole("table", { name: "Resources" }).getByRole("button", { name: "9080", exact: true }).click();
    const tree = page.getByRole("group", { name: "Content" });
    await tree.getByText("virtual_hosts").or(tree.getByText("virtualHosts")).first().waitFor();
    await page
      .getByText(/routes\.yaml:1$/u)
      .first()
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);

    await page.getByLabel("Search in this resource").fill("|v1|reviews");
    const cluster = tree.locator(".leaf", { hasText: "outbound|9080|v1|reviews" }).first();
    await cluster.getByRole("button", { name: "Why?" }).click();
    const causes = tree.getByRole("list", { name: "The lines behind the value" });
    const subset = causes.getByRole("listitem").filter({ hasText: 'spec.http[0].route[0].destination.subset: "v1"' });
    await subset.getByText(/routes\.yaml:\d+$/u).waitFor();
    expect(await subset.textContent()).toMatch(/^depends on VirtualService shop\/reviews/u);
    expect(await axeViolations(page)).toEqual([]);

    const { items } = (await (await fetch(`${origin}/api/v1/proxies?limit=1&type=router`)).json()) as ProxyListing;
    await page.getByLabel("The other proxy").fill(items[0]?.node ?? "");
    await page.getByRole("button", { name: "Compare" }).click();
    const compared = page.getByRole("region", { name: "Compare with another proxy" });
    await compared
      .getByText(/^Only this proxy has \d+ resources?$/u)
      .first()
      .click();
    await compared.getByText("InboundPassthroughCluster").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("changes a log level only with a token of an operator", async () => {
    const { origin, issuer } = live();
    const { page, complaints } = await openDesk(browser(), `${origin}/control-plane`, wide);
    await page.getByRole("button", { name: "Enter a token to change levels" }).click();
    await page.getByLabel("Token").fill(await issuer.token({ namespace: "shop", account: "reviews" }));
    await page.getByRole("button", { name: "Use this token" }).click();
    // A workload is known, but it may not change the server.
    await eventually("the token was sent", async () => (await page.getByLabel("Token").inputValue()) === "", bound);
    expect(await page.getByLabel("Level of xds").count()).toBe(0);
    await page.getByLabel("Token").fill(await issuer.token({ namespace: "istio-system", account: "operator" }));
    await page.getByRole("button", { name: "Use this token" }).click();
    await page.getByLabel("Level of xds").selectOption("debug");
    await page.getByText("xds logs at debug.").waitFor();
    const { log } = (await (await fetch(`${origin}/api/v1/control-plane`)).json()) as Pick<ControlPlane, "log">;
    expect(log.scopes.find(({ name }) => name === "xds")?.level).toBe("debug");
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel("Level of xds").selectOption("info");
    await page.getByText("xds logs at info.").waitFor();
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test("keeps the page open while the server restarts", async () => {
    using mesh = new MeshDir(files);
    const httpPort = await freePort();
    const args = ["--http", `127.0.0.1:${httpPort}`];
    const first = await startBinnacle({ dir: mesh.path, args });
    const { page, complaints } = await openDesk(browser(), `http://127.0.0.1:${httpPort}/`, wide);
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
