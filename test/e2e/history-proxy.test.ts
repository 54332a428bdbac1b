import { readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createControlPlane } from "../../src/app/control-plane.ts";
import { isMapping } from "../../src/lib/is-mapping.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { smallShop } from "../../src/testing/mesh/small-shop.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { MeshDir } from "./support/mesh-dir.ts";

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
