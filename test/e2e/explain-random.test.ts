import { expect, test } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import { runs, seed } from "../../src/testing/seed.ts";
import { pathAndQuery } from "./random-sites/call.ts";
import { Histogram } from "./random-sites/histogram.ts";
import { randomSites, type Site, virtualServiceOf } from "./random-sites/site.ts";
import { startBinnacle } from "./support/binnacle.ts";
import { gatewayNode, sidecarNode } from "./support/bootstrap.ts";
import { startEnvoy } from "./support/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { configOf } from "./support/held-config.ts";
import { ask } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { isKept, promiseOf } from "./support/promise.ts";
import { gatewayYaml, openShop } from "./support/shop.ts";

const describeWithEnvoy = await describeWith("envoy");
const callsEach = 5;
const siteCount = runs(50);

/** Sidecars route by the ports of services, so for them the sites are services too. */
function servicesOf(sites: readonly Site[], port: number): object {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name: "sites", namespace: "shop" },
    spec: {
      hosts: sites.map(({ host }) => host),
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: port, name: "http", protocol: "HTTP" }],
      endpoints: [{ address: "127.0.0.1", ports: { http: 1 } }],
    },
  };
}

describeWithEnvoy("random routes and requests", () => {
  test(`go where explain says, through a gateway and a sidecar (seed ${seed})`, async () => {
    const sites = randomSites(siteCount, callsEach, seed);
    const sidecarPort = await freePort();
    await using shop = await openShop("");
    shop.mesh.write("gateway.yaml", gatewayYaml(shop.port, "*.example.com"));
    const objects = [servicesOf(sites, sidecarPort), ...sites.map(virtualServiceOf)];
    shop.mesh.write("sites.yaml", objects.map((each) => JSON.stringify(each)).join("\n---\n"));
    await using binnacle = await startBinnacle({ dir: shop.mesh.path });
    await using gateway = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "sotw" });
    await using sidecar = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta", node: sidecarNode });
    await Promise.all([gateway.settled(), sidecar.settled()]);
    const names = new Map(Object.values(shop.workloads).map(({ name, port }) => [`127.0.0.1:${port}`, name]));
    const ways = [
      { port: shop.port, config: await configOf(gatewayNode, binnacle.xdsPort, [`http.${shop.port}.127.0.0.1`]) },
      { port: sidecarPort, config: await configOf(sidecarNode, binnacle.xdsPort, [String(sidecarPort)]) },
    ];

    const histogram = new Histogram();
    const surprises: object[] = [];
    for (const { port, config } of ways) {
      for (const site of sites) {
        for (const call of site.calls) {
          const { method, host, headers } = call;
          const path = pathAndQuery(call);
          const explanation = explain(config, { port, host, path, method, headers });
          const promise = promiseOf(explanation, names);
          const answer = await ask(method, port, path, { host, headers });
          histogram.add(site, explanation);
          if (!isKept(promise, answer)) surprises.push({ call, promise, seen: answer, site: virtualServiceOf(site) });
        }
      }
    }
    process.stderr.write(histogram.text());
    expect(surprises.slice(0, 3)).toEqual([]);
    expect(histogram.shortfalls()).toEqual([]);
  });
});
