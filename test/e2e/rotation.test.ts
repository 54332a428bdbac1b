import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { Load } from "./support/envoy/fortio.ts";
import { freePort } from "./support/free-port.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { tlsSecret } from "./support/tls/secret-yaml.ts";
import { httpText, tlsAsk } from "./support/tls/tls.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const describeWithPeers = await describeWith("envoy", "fortio");
const isWhole = process.env["BINNACLE_WHOLE"] === "1";
/** `npm run rotation`, and the short form in `npm test`. */
const { qps, rotations } = isWhole ? { qps: 1_000, rotations: 100 } : { qps: 200, rotations: 6 };
const host = "shop.example.com";

function gateway(port: number): string {
  const server = {
    port: { number: port, name: "https", protocol: "HTTPS" },
    bind: "127.0.0.1",
    hosts: [host],
    tls: { mode: "SIMPLE", credentialName: "shop" },
  };
  const http = [{ route: [{ destination: { host: "web.shop.svc.cluster.local" } }] }];
  return [
    objectYaml("Gateway", "edge", { selector: { app: "gw" }, servers: [server] }),
    objectYaml("VirtualService", "web", { hosts: [host], gateways: ["edge"], http }),
  ].join("---\n");
}

describeWithPeers("certificates", () => {
  test.concurrent.each(["sotw", "delta"] as const)("rotate under load without a failed request, %s", async (mode) => {
    using authority = await TestAuthority.create();
    await using web = await startEcho("web");
    const port = await freePort();
    const issue = (round: number) => authority.issueNames(`round-${round}`, [{ type: "dns", value: host }]);
    const first = await issue(0);
    using mesh = new MeshDir({
      "web.yaml": serviceYaml({ name: "web", port: 80, endpoints: [{ port: web.port }] }),
      "gateway.yaml": gateway(port),
      "secret.yaml": tlsSecret("shop", first),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path, args: ["--allow-plaintext-secrets", "on"] });
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode });
    const subject = async () => (await tlsAsk(port, httpText(host), { servername: host, trust: first })).subject;
    await eventually("HTTPS is served", async () => (await subject()) === "round-0", { seconds: 20 });
    const listeners = await envoy.stats("listener_manager.*(added|modified|in_place_updated|removed)$");

    await using load = await Load.start({ port, host, path: "/", qps, authorities: first.rootCertificates });
    for (let round = 1; round <= rotations; round++) {
      mesh.write("secret.yaml", tlsSecret("shop", await issue(round)));
      const rotated = async () => (await subject()) === `round-${round}`;
      await eventually(`certificate ${round} is served`, rotated, { seconds: 20 });
    }
    const requests = await load.stop();
    expect(requests.filter(({ ok }) => !ok).map(({ details }) => details)).toEqual([]);
    expect(requests.length).toBeGreaterThan(rotations * 5);
    expect(await envoy.stats("listener_manager.*(added|modified|in_place_updated|removed)$")).toEqual(listeners);
    expect(await envoy.stat("sds.kubernetes_shop.update_success")).toBe(rotations + 1);
    expect(await envoy.troubles()).toEqual([]);
  });
});
