import { describe, expect, test } from "vitest";
import { defaultOptions } from "../../src/app/options/options.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { wire } from "../../src/app/wire.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { YamlSource } from "../../src/testing/galley/yaml-source.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { type EnvoyProcess, startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { objectYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");

/** 5 000 by command: `BINNACLE_ROUTES=5000 npm test -- test/e2e/quarantine.test.ts`. */
const count = Number(process.env["BINNACLE_ROUTES"] ?? 500);
const bound = { seconds: 20 };
const second = { ...gatewayNode, id: gatewayNode.id.replace("gw-0", "gw-1") };

/** A host of its own that answers with this text. */
function route(index: number, text: string, match: object = { prefix: "/" }): string {
  const http = [{ match: [{ uri: match }], directResponse: { status: 200, body: { string: text } } }];
  const spec = { hosts: [`host-${index}.example.com`], gateways: ["istio-system/public"], http };
  return objectYaml("VirtualService", `host-${index}`, spec);
}

/** No regular expression of RE2. Validation rejects it, so the tests put it behind validation. */
function poisonedRoute(index: number): string {
  return route(index, "poison", { regex: "/(" });
}

function luaFilter(code: string): string {
  const value = {
    name: "envoy.filters.http.lua",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
      default_source_code: { inline_string: code },
    },
  };
  const match = {
    context: "GATEWAY",
    listener: { filterChain: { filter: { name: "envoy.filters.network.http_connection_manager" } } },
  };
  const configPatches = [{ applyTo: "HTTP_FILTER", match, patch: { operation: "INSERT_BEFORE", value } }];
  // The kind has no later version.
  return objectYaml("EnvoyFilter", "script", { configPatches }, "istio-system").replace("io/v1", "io/v1alpha3");
}

/** A server in this process, with a gateway of many hosts on one port. */
async function startServer(resources: AsyncDisposableStack, objects: (port: number) => readonly string[]) {
  const [xdsPort, port] = [await freePort(), await freePort()];
  const source = new YamlSource("unvalidated");
  const servers = [{ port: { number: port, name: "http", protocol: "HTTP" }, bind: "127.0.0.1", hosts: ["*"] }];
  const gateway = objectYaml("Gateway", "public", { selector: { app: "gw" }, servers }, "istio-system");
  const routes = Array.from({ length: count }, (_, index) => route(index, "good"));
  source.applyUnvalidated([gateway, ...routes, ...objects(port)].join("\n---\n"));
  const logger = new RecordingLogger();
  const listeners = { xds: `127.0.0.1:${xdsPort}`, http: "127.0.0.1:0", metrics: "127.0.0.1:0", ctrlz: "off" };
  const context = { clock: systemClock, logger, version: "test", ownSources: [source] };
  const { lifecycle } = wire({ ...defaultOptions(), ...listeners, sources: [], quarantine: true }, context);
  await lifecycle.start();
  resources.defer(() => lifecycle.stop());
  const logged = (message: string) =>
    logger.lines
      .filter((line) => line.message === message)
      .map(({ fields }): Readonly<Record<string, unknown>> => ({ ...fields }));
  return { source, logger, logged, xdsPort, port };
}

async function answer(port: number, index: number): Promise<string> {
  const { status, body } = await get(port, "/", { host: `host-${index}.example.com` });
  return status === 200 ? body : String(status);
}

async function answers(port: number, index: number, text: string): Promise<void> {
  await eventually(`host-${index} answers ${text}`, async () => (await answer(port, index)) === text, bound);
}

describeWithEnvoy("an object that a real Envoy refuses", () => {
  describe.each(["sotw", "delta"] as const)("%s", (mode) => {
    test("harms only itself: fresh gateways serve all other hosts, edits of them arrive, and a mended one returns", async () => {
      await using resources = new AsyncDisposableStack();
      const bad = Math.floor(count / 3);
      const { source, port, logged, xdsPort } = await startServer(resources, () => [poisonedRoute(bad)]);
      const first = resources.use(await startEnvoy({ xdsPort, mode }));
      await answers(port, count - 1, "good");
      expect(await answer(port, 0)).toBe("good");
      expect(await answer(port, bad)).toBe("404");
      await eventually("the search ends", () => logged("search for refused objects ended").length === 1, bound);
      expect(logged("object quarantined")).toMatchObject([{ instead: "nothing" }]);
      const [search] = logged("search for refused objects ended");
      expect(search?.["probes"]).toBeLessThanOrEqual(Math.ceil(Math.log2(count)) + 1);
      source.applyUnvalidated(route(7, "edited"));
      await answers(port, 7, "edited");
      // A restarted gateway: no search, and it never gets the poisoned route.
      await first[Symbol.asyncDispose]();
      const fresh = resources.use(await startEnvoy({ xdsPort, mode, node: second }));
      await answers(port, count - 1, "good");
      await fresh.settled();
      expect(await rejections(fresh)).toBe(0);
      source.applyUnvalidated(route(bad, "mended"));
      await answers(port, bad, "mended");
      // One proxy has it before the search for it ends.
      await eventually("it is released", () => logged("object released from quarantine").length === 1, bound);
      // Spoilt while it is served: the accepted version stays, and edits of others arrive.
      source.applyUnvalidated(poisonedRoute(bad));
      source.applyUnvalidated(route(8, "edited too"));
      await answers(port, 8, "edited too");
      expect(await answer(port, bad)).toBe("mended");
      await eventually("it is refused again", () => logged("object quarantined").length === 2, bound);
      expect(logged("object quarantined").at(-1)).toMatchObject({ instead: "earlier version" });
    });

    test("may be an EnvoyFilter with a broken script, together with two routes", async () => {
      await using resources = new AsyncDisposableStack();
      const { source, port, logged, xdsPort } = await startServer(resources, () => []);
      resources.use(await startEnvoy({ xdsPort, mode }));
      await answers(port, 1, "good");
      source.batch(() => {
        source.applyUnvalidated(luaFilter("function ("));
        source.applyUnvalidated(poisonedRoute(3));
        source.applyUnvalidated(poisonedRoute(4));
        source.applyUnvalidated(route(5, "edited"));
      });
      await answers(port, 5, "edited");
      for (const index of [3, 4]) expect(await answer(port, index)).toBe("good");
      const objects = () => logged("object quarantined").map((fields) => String(fields["object"]).split(" ")[0] ?? "");
      await eventually("three objects are in quarantine", () => objects().length === 3, bound);
      expect(
        objects()
          .toSorted()
          .map((id) => id.replace(/.*\//, "")),
      ).toEqual(["script", "host-3", "host-4"]);
    });
  });
});

async function rejections(envoy: EnvoyProcess): Promise<number> {
  return [...(await envoy.stats("update_rejected$")).values()].reduce((sum, each) => sum + each, 0);
}
