import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { openShop, splitYaml } from "./support/envoy/shop.ts";
import { get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { answerModule, closingModule, headerModule } from "./support/wasm/wasm-module.ts";

const describeWithEnvoy = await describeWith("envoy");
const host = "shop.example.com";
const apiVersion = "extensions.istio.io/v1alpha1";

function extension(kind: string, name: string, spec: object): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name, namespace: "istio-system" }, spec });
}

function plugin(name: string, spec: object): string {
  return extension("WasmPlugin", name, spec);
}

describeWithEnvoy("a real Envoy with extensions", () => {
  describe.each(["sotw", "delta"] as const)("%s", (mode) => {
    const world = shared(async (resources) => {
      const shop = resources.use(await openShop(splitYaml(100, 0)));
      /** Writes a module beside the configuration and returns its URL. */
      const moduleAt = (name: string, bytes: Uint8Array) => {
        const file = join(shop.mesh.path, "..", `${name}.wasm`);
        writeFileSync(file, bytes);
        return `file://${file}`;
      };
      const ordering = (name: string) => ({ url: moduleAt(name, headerModule("x-order", name)) });
      const lua = { inlineCode: 'function envoy_on_request(handle) handle:headers():add("x-order", "lua") end' };
      const start = [
        plugin("last", ordering("last")),
        plugin("authz", { ...ordering("authz"), phase: "AUTHZ" }),
        plugin("low", { ...ordering("low"), phase: "AUTHN", priority: 1 }),
        plugin("high", { ...ordering("high"), phase: "AUTHN", priority: 5 }),
        plugin("other", { ...ordering("other"), selector: { matchLabels: { app: "other" } } }),
        plugin("port", { ...ordering("port"), match: [{ ports: [{ number: 1 }] }] }),
        extension("TrafficExtension", "lua", { phase: "STATS", lua }),
      ];
      shop.mesh.write("extensions.yaml", start.join("\n---\n"));
      const binnacle = resources.use(await startBinnacle({ dir: shop.mesh.path }));
      const envoy = resources.use(await startEnvoy({ xdsPort: binnacle.xdsPort, mode }));
      await envoy.settled();
      const write = (...objects: readonly string[]) => shop.mesh.write("extensions.yaml", objects.join("\n---\n"));
      const answer = (path = "/") => get(shop.port, path, { host });
      return { shop, binnacle, envoy, moduleAt, ordering, write, answer };
    });

    /** The order in which a request passed the extensions; the status if it got no answer of the application. */
    async function order(): Promise<string> {
      const { status, body } = await world().answer();
      if (status !== 200) return String(status);
      const { headers } = JSON.parse(body) as { readonly headers: Readonly<Record<string, string>> };
      return headers["x-order"] ?? "";
    }

    function untilOrder(expected: string): Promise<unknown> {
      return eventually(`the order is ${expected}`, async () => (await order()) === expected, { seconds: 20 });
    }

    test("requests pass modules and scripts in the order of their phases and priorities", async () => {
      expect(await order()).toBe("high, low, authz, lua, last");
      expect(await world().envoy.troubles()).toEqual([]);
    });

    test("a changed module arrives without a change of the listener", async () => {
      const { envoy, write, ordering } = world();
      write(plugin("last", ordering("last")));
      await untilOrder("last");
      const listeners = () => envoy.stats("listener_manager.listener_(added|modified|removed)$");
      const before = await listeners();
      write(plugin("last", ordering("next")));
      await untilOrder("next");
      expect(await listeners()).toEqual(before);
      write(plugin("last", ordering("last")), plugin("first", { ...ordering("first"), phase: "AUTHN" }));
      await untilOrder("first, last");
      expect(await listeners()).not.toEqual(before);
    });

    test("a module answers requests itself", async () => {
      const { write, moduleAt, answer } = world();
      write(plugin("answer", { url: moduleAt("answer", answerModule(418, "from a module")) }));
      await untilOrder("418");
      expect((await answer()).body).toBe("from a module");
    });

    test("a module for connections closes them", async () => {
      const { write, moduleAt, answer } = world();
      write(plugin("close", { type: "NETWORK", url: moduleAt("close", closingModule()) }));
      const closes = async () =>
        (await answer().then(
          () => "answered",
          () => "closed",
        )) === "closed";
      await eventually("connections are closed", closes, { seconds: 20 });
      write();
      await untilOrder("");
      expect(await closes()).toBe(false);
    });

    test("a module that an Envoy without an agent cannot fetch rejects requests, or none with FAIL_OPEN", async () => {
      const { binnacle, write } = world();
      const url = "oci://hub.example.com/one:v1";
      write(plugin("remote", { url, failStrategy: "FAIL_OPEN" }), plugin("seen", world().ordering("seen")));
      await untilOrder("seen");
      write(plugin("remote", { url }));
      await untilOrder("403");
      const { body } = await get(binnacle.httpPort, "/debug/conflicts");
      expect(body).toContain("the proxy has no agent to fetch the module, so it rejects all traffic");
      write();
      await untilOrder("");
    });

    test("a module that Envoy rejects lets no request pass, and its object is named", async () => {
      const { binnacle, write, ordering, moduleAt } = world();
      write(plugin("good", ordering("good")));
      await untilOrder("good");
      write(plugin("good", ordering("good")), plugin("bad", { url: moduleAt("bad", Buffer.from("no module")) }));
      const page = async () => (await get(binnacle.httpPort, "/debug/quarantine")).body;
      const isRefused = async () => (await page()).includes("WasmPlugin/istio-system/bad");
      await eventually("the object is named", isRefused, { seconds: 20 });
      await untilOrder("403");
      write(plugin("good", ordering("good")));
      await untilOrder("good");
      expect(await order()).toBe("good");
    });

    test("neither Binnacle nor Envoy opens the URL of a remote module", async () => {
      const { write, ordering } = world();
      await using internal = await startEcho("internal");
      const url = `http://127.0.0.1:${internal.port}/latest/meta-data`;
      write(plugin("remote", { url, failStrategy: "FAIL_OPEN" }), plugin("seen", ordering("seen")));
      await untilOrder("seen");
      expect(internal.requests).toBe(0);
    });
  });
});
