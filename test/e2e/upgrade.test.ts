import { join } from "node:path";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { type BinnacleProcess, whenReady } from "./support/binnacle/server.ts";
import { main } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { Load } from "./support/envoy/fortio.ts";
import { openShop, splitYaml } from "./support/envoy/shop.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { describeWith, whyUnavailable } from "./support/peers.ts";

/** `npm run upgrade`. A clone without the old commit cannot build the old version. */
const noHistory = await whyUnavailable(["binnacle-old"]);
const describeWithEnvoy = await describeWith("envoy", "fortio");

async function serve(program: string, dir: string, xdsPort: number): Promise<BinnacleProcess> {
  const any = "127.0.0.1:0";
  const ports = ["--xds", `127.0.0.1:${xdsPort}`, "--http", any, "--metrics", any, "--ctrlz", "off"];
  return await whenReady(new Child(process.execPath, [program, "serve", dir, ...ports]));
}

describeWithEnvoy("an upgrade from version 0.2.0, and back", () => {
  const options = noHistory === undefined ? {} : { skip: true, meta: { skipReason: noHistory } };

  test.each(["sotw", "delta"] as const)(
    "an Envoy over %s follows every version, and no request fails",
    options,
    async (mode) => {
      const old = join(await peerPath("binnacle-old"), "dist/cli/bundle/main.js");
      await using shop = await openShop(splitYaml(100, 0));
      const xdsPort = await freePort();
      let server = await serve(old, shop.mesh.path, xdsPort);
      try {
        await using envoy = await startEnvoy({ xdsPort, mode });
        await envoy.settled();
        const answeredBy = async () => (await get(shop.port, "/", { host: "shop.example.com" })).headers["x-echo"];
        await envoy.waitFor(async () => (await answeredBy()) === "v1");
        await using load = await Load.start({ port: shop.port, host: "shop.example.com", path: "/", qps: 50 });
        for (const [program, wanted] of [
          [main, "v2"],
          [old, "v1"],
        ] as const) {
          server.kill("SIGTERM");
          expect(await server.exited).toBe(0);
          server = await serve(program, shop.mesh.path, xdsPort);
          shop.mesh.write("routes.yaml", wanted === "v2" ? splitYaml(0, 100) : splitYaml(100, 0));
          await envoy.waitFor(async () => (await answeredBy()) === wanted, { seconds: 60 });
          await envoy.settled({ seconds: 60 });
        }
        const requests = await load.stop();
        expect(requests.length).toBeGreaterThan(0);
        expect(requests.filter(({ ok }) => !ok)).toEqual([]);
      } finally {
        await server.stop();
      }
    },
  );
});
