import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { hostOf, openShopWorld, serviceAddress } from "./support/agent/shop-world.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeAgents = await describeWithNetwork("envoy", "iptables", "pilot-agent");

/** An address that istio-iptables takes for the pod's DNS server. */
const dnsServer = { address: "10.79.0.1", port: 53, protocol: "dns" } as const;

describeAgents("Istio's agent with certificates in files", () => {
  const world = shared(openShopWorld);

  describe.each(["delta", "sotw"] as const)("in %s", (mode) => {
    const shop = () => world().shops[mode];
    const toService = { address: serviceAddress[mode], port: 80, protocol: "http", host: hostOf(mode) } as const;

    const resolve = (host: string) => shop().client.pod.call({ ...dnsServer, host });

    test("a sidecar calls another over mTLS, and both identities arrive", async () => {
      const reply = await shop().client.pod.call(toService);
      expect(reply).toMatchObject({ status: 200, headers: { "x-echo": `server-${mode}` } });
      const { headers } = JSON.parse("body" in reply ? reply.body : "") as { headers: Record<string, string> };
      const name = (account: string) => `spiffe://cluster.local/ns/shop/sa/${account}-${mode}`;
      expect(headers["x-forwarded-client-cert"]).toContain(`By=${name("server")};`);
      expect(headers["x-forwarded-client-cert"]).toContain(`URI=${name("client")}`);
    });

    test("a sidecar refuses plain text", async () => {
      const { address } = shop().server.pod;
      const reply = await world().outside.call({ ...toService, address, port: 8080 });
      expect(reply).toEqual({ failed: expect.stringMatching(/hang up|ECONNRESET/u) });
    });

    test("a gateway reaches the service over mTLS", async () => {
      const { address } = shop().gateway.pod;
      const reply = await world().outside.call({ ...toService, address, port: 8080 });
      expect(reply).toMatchObject({ status: 200, headers: { "x-echo": `server-${mode}` } });
    });

    test("the DNS proxy of the agent resolves names from our table, and learns new ones", async () => {
      expect(await resolve(hostOf(mode))).toEqual({ body: serviceAddress[mode] });
      world().mesh.write(`${mode}-late.yaml`, lateYaml(mode));
      const late = async () => (await resolve(`late-${mode}.example.com`)) as { body?: string };
      const answer = await eventually("the new name", async () => (await late()).body, { seconds: 10 });
      expect(answer).toBe("10.96.0.99");
    });

    test.each(["gateway", "client", "server"] as const)(
      "all types of the %s are synced, none is rejected",
      async (role) => {
        const names = role === "gateway" ? [] : ["NDS SYNCED"];
        const states = ["CDS SYNCED", "EDS SYNCED", "LDS SYNCED", ...names, "RDS SYNCED"];
        const sync = () => world().control.syncOf(`${role}-${mode}-0.shop`);
        await expect.poll(sync).toEqual({ mode, states });
        expect(await shop()[role].agent.rejections()).toEqual([]);
      },
    );
  });
});

function lateYaml(mode: string): string {
  const host = `late-${mode}.example.com`;
  const spec = { hosts: [host], addresses: ["10.96.0.99"], ports: [{ number: 80, name: "http", protocol: "HTTP" }] };
  return JSON.stringify({
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name: `late-${mode}`, namespace: "shop" },
    spec: { ...spec, resolution: "STATIC", endpoints: [{ address: "10.79.0.9" }] },
  });
}
