import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { messages } from "../../src/config/analysis/messages.ts";
import { kinds } from "../../src/config/kinds.ts";
import { gatewayIn } from "../../src/testing/envoy-model.ts";
import { mutateBytes, mutateTokens } from "../../src/testing/mutate-text.ts";
import { mutateTree, type Tree } from "../../src/testing/mutate-tree.ts";
import { Random } from "../../src/testing/random.ts";
import { sampleObject } from "../../src/testing/sample-object.ts";
import { ScenarioMesh } from "../../src/testing/scenario-mesh.ts";
import { runs, seed } from "../../src/testing/seed.ts";

/** All that `npm run fuzz` asks for, however often it wants the others. */
const documents = Math.min(runs(10_000), 200_000);
const isFuzzing = documents > 10_000;
/** How many documents one push carries, and how many a mesh takes in before it is thrown away. */
const perPush = 50;
const perMesh = 1000;
/** As often the mesh is analysed: it takes longer than a push. */
const perAnalysis = 500;
/** No document may take longer; looked at only where the machine is ours. */
const longestMs = 1000;

const slow: string[] = [];

const root = join(import.meta.dirname, "../..");

/** A document to begin with, and what it is read as, if it can be read. */
interface Original {
  readonly text: string;
  readonly tree: Tree;
}

/** Documents that people wrote: our examples, our golden meshes, and every mistake we know. */
function written(): readonly Original[] {
  const folders = ["examples", "test/golden", "test/scenarios/malformed"].map((folder) => join(root, folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const texts = files.filter((file) => file.endsWith(".yaml")).map((file) => readFileSync(file, "utf8"));
  const documents = texts.flatMap((text) => text.split(/^---$/mu)).filter((text) => text.includes("kind:"));
  return documents.map((text) => ({ text, tree: treeOf(text) }));
}

/** Several of every kind, so that none is left out. */
function made(random: Random): readonly Original[] {
  return kinds
    .flatMap((kind) => Array.from({ length: 5 }, () => sampleObject(kind, random)))
    .map((tree) => ({ tree, text: stringify(tree) }));
}

/** A mistake has no tree, or one without an end; its text stands for it. */
function treeOf(text: string): Tree {
  try {
    return JSON.parse(JSON.stringify(parse(text, { logLevel: "silent" }))) as Tree;
  } catch {
    return text;
  }
}

type Mutation = (original: Original, random: Random) => string;

const mutations: readonly Mutation[] = [
  ({ text }, random) => mutateBytes(text, random),
  ({ text }, random) => mutateTokens(text, random),
  ({ tree }, random) => mutateTree(tree, random),
];

test(
  `${documents} mutated documents crash nothing, fail nothing and hold up nothing`,
  async () => {
    const random = new Random(seed);
    const sources = [written(), made(random)];
    let mesh = await populated();
    let accepted = 0;
    const failed: string[] = [];
    for (let done = 0; done < documents; done += perPush) {
      if (done % perMesh === 0) mesh = await populated();
      const batch = Array.from({ length: perPush }, () =>
        random.pick(mutations)(random.pick(random.pick(sources)), random),
      );
      accepted += await endure(mesh, batch);
      if ((done + perPush) % perAnalysis === 0) failed.push(...failedAnalyzers(mesh));
    }
    // Otherwise nobody but the parser would have been tried.
    expect(accepted).toBeGreaterThan(documents / 50);
    expect([...failed, ...slow]).toEqual([]);
  },
  runs(120_000),
);

/** A mesh with a proxy that wants to know everything. */
async function populated(): Promise<ScenarioMesh> {
  const mesh = await ScenarioMesh.serving("");
  mesh.connect("delta", gatewayIn("shop"));
  return mesh;
}

/** How many documents were taken without an error. */
async function endure(mesh: ScenarioMesh, batch: readonly string[]): Promise<number> {
  const issues = batch.map((text) => tried(text, () => mesh.applyValid(text)));
  await mesh.pushed();
  const problems = mesh.problems.map(({ derivation, input, cause }) => `${derivation} ${input}: ${cause.stack}`);
  if (problems.length + mesh.observer.failures.length > 0) {
    throw new AggregateError([...problems, ...mesh.observer.failures], `after ${JSON.stringify(batch)}`);
  }
  return issues.filter((list) => list.every(({ severity }) => severity !== "error")).length;
}

function failedAnalyzers(mesh: ScenarioMesh): readonly string[] {
  return mesh.analysed.messages.filter(({ type }) => type === messages.internalError).map(({ text }) => text);
}

/** What goes wrong is told with the document that did it. */
function tried<T>(text: string, work: () => T): T {
  const startedAt = performance.now();
  try {
    return work();
  } catch (cause) {
    throw new Error(`with ${JSON.stringify(text)}`, { cause });
  } finally {
    const ms = performance.now() - startedAt;
    if (isFuzzing && ms > longestMs) slow.push(`${ms} ms for ${JSON.stringify(text)}`);
  }
}
