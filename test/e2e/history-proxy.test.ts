import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createControlPlane } from "../../src/app/control-plane.ts";
import { isMapping } from "../../src/lib/is-mapping.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { smallShop } from "../../src/testing/mesh/small-shop.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { clusterType, listenerType } from "../../src/xds/type-urls.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { SotwClient } from "./support/xds/ads-client.ts";

const any = "127.0.0.1:0";
const soon = { seconds: 20 };
const node = "router~gw-0.istio-system";
const settings = "enableAutoMtls: false\naccessLogFile: /dev/stdout\n";
const edited = smallShop.replaceAll("shop.example.com", "store.example.com");

/** The history of a server that had the small shop first, and another host then. */
async function storyOf(dir: MeshDir) {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  const history = tree.path("history");
  await tree.write("mesh.yaml", settings);
  const mesh = tree.path("mesh.yaml");
  const ports = { xds: any, http: any, metrics: any, ctrlz: "off" };
  const logger = new RecordingLogger();
  const plane = createControlPlane({ sources: [`file:${dir.path}`], mesh, history, ...ports, logger });
  await plane.start();
  await eventually("the history begins", () => readdirSync(history).length > 0, soon);
  const ask = async (...args: readonly string[]) => await runCommand(["history", ...args, "--history", history]);
  dir.write("mesh.yaml", edited);
  await eventually(
    "the edit is in the history",
    async () =>
      (await ask("list")).stdout.startsWith("MOMENT   TIME                       CHANGE") &&
      (await ask("list")).stdout.includes("\n2 "),
    soon,
  );
  await plane.stop();
  return { ask, mesh };
}

/** The resources in the JSON of `translate`, by type, or those in the JSON of `history`. */
function bodiesIn(json: string): readonly string[] {
  const data = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const lists = Array.isArray(data["types"])
    ? (data["types"] as readonly { resources: readonly { resource: object }[] }[]).map(({ resources }) =>
        resources.map(({ resource }) => resource),
      )
    : Object.values(data);
  return lists
    .flatMap((list) => (Array.isArray(list) ? list.filter(isMapping) : []))
    .map((body) => {
      const { "@type": _type, ...rest } = body;
      return JSON.stringify(rest);
    })
    .toSorted();
}

test("the command generates the resources that a proxy had at a moment, with the settings of that moment", async () => {
  using dir = new MeshDir({ "mesh.yaml": smallShop });
  const { ask, mesh } = await storyOf(dir);
  for (const [moment, yaml] of [
    ["1", smallShop],
    ["2", edited],
  ] as const) {
    dir.write("mesh.yaml", yaml);
    const translated = await runCommand([
      "translate",
      dir.path,
      "--node",
      node,
      "--label",
      "app=gw",
      "--mesh",
      mesh,
      "-o",
      "json",
    ]);
    const shown = await ask("at", moment, "show", node, "--label", "app=gw", "-o", "json");
    const bodies = bodiesIn(shown.stdout);
    expect(bodies).toEqual(bodiesIn(translated.stdout));
    expect(bodies.join()).toContain(moment === "1" ? "shop.example.com" : "store.example.com");
  }
  const diff = await ask("at", "1", "diff", node, "--label", "app=gw");
  expect(diff.code).toBe(1);
  expect(diff.stdout).toContain("route http.8080");
  const blame = await ask("at", "now", "blame", node, "--label", "app=gw");
  expect(blame.stdout).toMatch(/^2 .* route http\.8080 +(?:Gateway|VirtualService)\//mu);
});

test("the command prints the objects of a moment, and a mesh made of them has the same resources", async () => {
  using dir = new MeshDir({ "mesh.yaml": smallShop });
  const { ask, mesh } = await storyOf(dir);
  const restored = await ask("restore", "1");
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  const translate = ["translate", dir.path, "--node", node, "--label", "app=gw", "--mesh", mesh, "-o", "json"];
  dir.write("mesh.yaml", smallShop);
  const before = await runCommand(translate);
  dir.write("mesh.yaml", restored.stdout);
  expect(await runCommand(translate)).toEqual(before);
  const one = await ask("restore", "1", "vs/shop/reviews");
  expect(one.stdout.match(/^kind: /gmu)).toHaveLength(1);
  expect((await ask("restore", "1", "vs/shop/none")).stderr).toContain("was not in force then");
});

/** The connected proxies as the command shows them. */
interface Fleet {
  readonly moment: number;
  readonly pushed: number;
  readonly proxies: readonly { readonly proxy: string; readonly behind: readonly object[] }[];
}

function isCurrent({ proxies }: Fleet): boolean {
  return proxies.length === 1 && proxies[0]?.behind.length === 0;
}

test("the command knows the proxies of a time, and shows what a slow one still had", async () => {
  using dir = new MeshDir({ "mesh.yaml": smallShop });
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  const history = tree.path("history");
  const ports = { xds: any, http: any, metrics: any, ctrlz: "off" };
  const plane = createControlPlane({ sources: [`file:${dir.path}`], history, ...ports, logger: new RecordingLogger() });
  const { xds } = await plane.start();
  const ask = async (...args: readonly string[]) => await runCommand(["history", ...args, "--history", history]);
  const fleetNow = async () => JSON.parse((await ask("at", "now", "show", "proxies", "-o", "json")).stdout) as Fleet;
  using client = new SotwClient(Number(xds.split(":").at(-1)), {
    ...gatewayNode,
    metadata: { ...gatewayNode.metadata, apiKey: "key-of-a-user" },
  });
  for (const type of [clusterType, listenerType]) {
    client.subscribe(type);
    client.ack(await client.next(type));
  }
  await eventually("the proxy is in the history", async () => isCurrent(await fleetNow()), soon);

  // The proxy does not answer the change of its listener.
  dir.write("mesh.yaml", smallShop.replace("number: 8080", "number: 8081"));
  const late = await client.next(listenerType);
  await eventually("the proxy is behind", async () => ((await fleetNow()).proxies[0]?.behind.length ?? 0) > 0, soon);
  const waiting = new Date().toISOString();
  expect((await ask("at", waiting, "show", "proxies")).stdout).toMatch(/^router~.* 1 of 2 +LDS waiting at 1$/mu);
  const held = await ask("at", waiting, "show", "gw-0.istio-system", "-o", "json");
  expect(held.stdout).toContain('"0.0.0.0_8080"');
  expect(held.stdout).not.toContain('"0.0.0.0_8081"');
  expect(held.stderr).toBe("note: the proxy had accepted moment 1 of LDS");

  client.ack(late);
  await eventually("the proxy has caught up", async () => isCurrent(await fleetNow()), soon);
  const given = await ask("at", "now", "show", "gw-0.istio-system", "-o", "json");
  expect(given).toMatchObject({ code: 0, stderr: "" });
  expect(given.stdout).toContain('"0.0.0.0_8081"');
  const changed = await ask("at", waiting, "diff", "router~gw-0.istio-system");
  expect(changed.stdout).toContain("listener 0.0.0.0_8081");
  const blame = await ask("at", "now", "blame", gatewayNode.id);
  expect(blame.stdout).toMatch(/^2 .* listener 0\.0\.0\.0_8081 +Gateway\/istio-system\/public/mu);
  expect(await ask("at", "1", "show", "nobody.shop")).toMatchObject({ code: 1 });

  await plane.stop();
  const log = readdirSync(history).map((name) => readFileSync(join(history, name), "utf8"));
  expect(log.join("")).not.toContain("key-of-a-user");
});
