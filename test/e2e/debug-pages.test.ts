import { describe, expect, test } from "vitest";
import { clusterType, listenerType } from "../../src/xds/type-urls.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode, sidecarNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { SotwClient } from "./support/xds/ads-client.ts";
import { objectYaml } from "./support/yaml.ts";

function entryYaml(address: string): string {
  return objectYaml("ServiceEntry", "reviews", {
    hosts: ["reviews.example"],
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: [{ address }],
  });
}

describe("debug pages", () => {
  test("all answer repeatedly while configuration changes and proxies connect and leave", async () => {
    const group = objectYaml("WorkloadGroup", "machines", { template: { serviceAccount: "machines" } });
    using mesh = new MeshDir({ "reviews.yaml": entryYaml("10.0.0.1"), "machines.yaml": group });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    using gateway = new SotwClient(binnacle.xdsPort, gatewayNode);
    gateway.subscribe(clusterType);
    gateway.ack(await gateway.next(clusterType));
    const names = JSON.parse((await get(binnacle.httpPort, "/debug/list")).body) as readonly string[];
    expect(names).toEqual(expect.arrayContaining(["adsz", "cachez", "config_dump", "registryz", "sidecarz", "syncz"]));
    const about = `proxyID=${encodeURIComponent(gatewayNode.id)}&resource=ServiceEntry/default/reviews&name=shop/machines&object=ServiceEntry/default/reviews`;

    for (let round = 0; round < 10; round++) {
      using sidecar = new SotwClient(binnacle.xdsPort, sidecarNode);
      sidecar.subscribe(listenerType);
      mesh.write("reviews.yaml", entryYaml(`10.0.1.${round}`));
      const asked = names.map(async (name) => {
        const { status, body } = await get(binnacle.httpPort, `/debug/${name}?${about}`);
        return { name, status, json: typeof JSON.parse(body) === "object" };
      });
      expect(await Promise.all(asked)).toEqual(names.map((name) => ({ name, status: 200, json: true })));
    }
    expect(binnacle.log()).not.toMatch(/"level":"error"/);
  });
});
