import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { root } from "./support/checkout.ts";
import { readRecipe } from "./support/documents/recipe.ts";
import { RecipeRunner } from "./support/documents/recipe-runner.ts";
import { describeWith } from "./support/peers.ts";

const recipes = globSync("docs/recipes/*.md", { cwd: root }).toSorted();
const describeWithEnvoy = await describeWith("envoy");

/** Those that say what to type; the others tell how to change the code. */
const executable = recipes.filter((path) => readRecipe(readFileSync(join(root, path), "utf8")).length > 0);

test("the recipes for users are executable", () => {
  const names = executable.map((path) => basename(path, ".md"));
  expect(names).toEqual([
    "coming-from-istio",
    "measure-with-fleet",
    "point-an-envoy-at-it",
    "proxyless-grpc",
    "run-galley-and-pilot-apart",
    "securing-xds",
  ]);
});

describeWithEnvoy("what the documents tell their readers works", () => {
  test.each(executable)("%s", async (path) => {
    const steps = readRecipe(readFileSync(join(root, path), "utf8"));
    await using runner = new RecipeRunner({ envoy: await peerPath("envoy") });
    expect(await runner.follow(steps)).toBe(steps.length);
  });

  test("README.md", async () => {
    const steps = readRecipe(readFileSync(join(root, "README.md"), "utf8"));
    expect(steps.length).toBeGreaterThan(2);
    await using runner = new RecipeRunner({ envoy: await peerPath("envoy") }, root);
    expect(await runner.follow(steps)).toBe(steps.length);
  });
});
