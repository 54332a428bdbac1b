import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { root } from "./support/checkout.ts";
import { commandDocuments, readRecipe } from "./support/documents/recipe.ts";
import { type Commands, RecipeRunner } from "./support/documents/recipe-runner.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const describeWithKube = await describeWith("kube");
const describeWithPrometheus = await describeWith("prometheus");

/** Those that say what to type; the others tell how to change the code, or need servers that are not here. */
const documents = globSync([...commandDocuments], { cwd: root })
  .filter((path) => stepsOf(path).length > 0)
  .toSorted();
const withEtcd = "docs/recipes/serve-from-etcd.md";
const withPrometheus = "docs/recipes/monitor-binnacle.md";
/** Followed in meshes of their own, by the tests with these names. */
const elsewhere = new Map([
  ["docs/recipes/replace-istiod.md", "agent-migration.test.ts"],
  ["docs/recipes/use-spire.md", "agent-spire.test.ts"],
  ["docs/recipes/vm-workloads.md", "agent-machine.test.ts"],
]);

function stepsOf(path: string) {
  return readRecipe(readFileSync(join(root, path), "utf8"));
}

/** Recipes are followed in a folder of their own, what lies beside the code in the checkout. */
async function follow(path: string, commands: Commands): Promise<number> {
  await using runner = new RecipeRunner(commands, path.startsWith("docs/") ? {} : { cwd: root });
  return await runner.follow(stepsOf(path));
}

test("documents for users are executable", () => {
  expect(documents).toEqual([
    "README.md",
    "docs/operations/backup.md",
    "docs/operations/troubleshooting.md",
    "docs/recipes/coming-from-istio.md",
    "docs/recipes/deploy-on-kubernetes.md",
    "docs/recipes/find-a-refused-object.md",
    "docs/recipes/find-the-line-behind-a-value.md",
    "docs/recipes/go-back-in-time.md",
    "docs/recipes/inject-sidecars.md",
    "docs/recipes/measure-with-fleet.md",
    withPrometheus,
    "docs/recipes/patch-envoys.md",
    "docs/recipes/plan-a-change.md",
    "docs/recipes/point-an-envoy-at-it.md",
    "docs/recipes/proxyless-grpc.md",
    "docs/recipes/replace-istiod.md",
    "docs/recipes/replay-a-server.md",
    "docs/recipes/roll-out-in-waves.md",
    "docs/recipes/rotate-roots.md",
    "docs/recipes/run-galley-and-pilot-apart.md",
    "docs/recipes/securing-xds.md",
    withEtcd,
    "docs/recipes/use-spire.md",
    "docs/recipes/vm-workloads.md",
    "docs/recipes/wait-until-live.md",
    "docs/start.md",
    "examples/bookinfo/README.md",
    "examples/xds-library/README.md",
  ]);
  for (const [path, file] of elsewhere) {
    expect(readFileSync(join(import.meta.dirname, file), "utf8")).toContain(`"${path}"`);
  }
});

describeWithEnvoy("the blocks of documents work", () => {
  const others = new Set([withEtcd, withPrometheus]);
  test.each(documents.filter((path) => !others.has(path) && !elsewhere.has(path)))("%s", async (path) => {
    expect(await follow(path, { envoy: await peerPath("envoy") })).toBe(stepsOf(path).length);
  });
});

describeWithKube("the blocks about etcd work", () => {
  test.each([withEtcd])("%s", async (path) => {
    expect(await follow(path, { etcd: join(await peerPath("kube"), "etcd") })).toBe(stepsOf(path).length);
  });
});

describeWithPrometheus("the blocks about monitoring work", () => {
  test.each([withPrometheus])("%s", async (path) => {
    const folder = await peerPath("prometheus");
    const commands = { prometheus: join(folder, "prometheus"), promtool: join(folder, "promtool") };
    expect(await follow(path, commands)).toBe(stepsOf(path).length);
  });
});
