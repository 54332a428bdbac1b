import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { messages } from "../../src/config/analysis/messages.ts";
import { kinds } from "../../src/config/kinds.ts";
import { type EnvoyModel, gatewayIn } from "../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { mutateBytes, mutateTokens } from "../../src/testing/random/mutate-text.ts";
import { type JsonTree, mutateTree } from "../../src/testing/random/mutate-tree.ts";
import { Random } from "../../src/testing/random/random.ts";
import { sampleObject } from "../../src/testing/random/sample-object.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { describeWithData, istioData } from "../../src/testing/shared-data.ts";

/** The number of documents, limited for `npm run fuzz` with a large factor. */
const documents = Math.min(runs(10_000), 200_000);
const isFuzzing = documents > 10_000;
/** The number of documents per push, and per mesh before the test discards it. */
const perPush = 50;
const perMesh = 1000;
/** The number of documents per analysis, which takes longer than a push. */
const perAnalysis = 500;
/** The most CPU time per document. CPU time does not include other work of the machine. */
const longestMs = 1000;

const slow: string[] = [];

const root = join(import.meta.dirname, "../..");

/** An original document, and its parsed form if it can be parsed. */
interface Original {
  readonly text: string;
  readonly tree: JsonTree;
}

/** Our examples, our golden meshes, and every known mistake. */
const ours = ["examples", "test/golden", "test/scenarios/malformed"].map((folder) => join(root, folder));

/** Documents that people wrote. Expected outputs of golden meshes are Envoy configuration, which nobody wrote. */
function written(folders: readonly string[]): readonly Original[] {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const inputs = files.filter((file) => file.endsWith(".yaml") && !file.includes("/expect/"));
  const texts = inputs.map((file) => readFileSync(file, "utf8"));
  const documents = texts.flatMap((text) => text.split(/^---$/mu)).filter((text) => text.includes("kind:"));
  return documents.map((text) => ({ text, tree: treeOf(text) }));
}

/** Several generated documents of every kind, so that none is left out. */
function made(random: Random): readonly Original[] {
  return kinds
    .flatMap((kind) => Array.from({ length: 5 }, () => sampleObject(kind, random)))
    .map((tree) => ({ tree, text: stringify(tree) }));
}

/** A mistake has no tree, or an endless one. Its text is the tree. */
function treeOf(text: string): JsonTree {
  try {
    return JSON.parse(JSON.stringify(parse(text, { logLevel: "silent" }))) as JsonTree;
  } catch {
    return text;
  }
}

const sidecar = { nodeId: "sidecar~10.0.0.1~x-0.shop~shop.svc.cluster.local", metadata: { LABELS: { app: "x" } } };

type Mutation = (original: Original, random: Random) => string;

const mutations: readonly Mutation[] = [
  ({ text }, random) => mutateBytes(text, random),
  ({ text }, random) => mutateTokens(text, random),
  ({ tree }, random) => mutateTree(tree, random),
];

test(
  `${documents} mutated documents cause no crash, no failure and no block`,
  async () => {
    const random = new Random(seed);
    expect(await harmOf(documents, [written(ours), made(random)], random)).toEqual([]);
  },
  runs(120_000),
);

describeWithData(istioData, "Istio's own documents", () => {
  const count = Math.min(runs(1000), 20_000);
  test(
    `${count} mutated corpus documents cause no crash, no failure and no block`,
    async () => {
      expect(await harmOf(count, [written([istioData])], new Random(seed))).toEqual([]);
    },
    runs(60_000),
  );
});

/** The effects of `count` mutated documents. Throws when something crashes. */
async function harmOf(count: number, sources: readonly (readonly Original[])[], random: Random) {
  let populace = await populated();
  let accepted = 0;
  const harm: string[] = [];
  for (let done = 0; done < count; done += perPush) {
    if (done % perMesh === 0) populace = await populated();
    const batch = Array.from({ length: perPush }, () =>
      random.pick(mutations)(random.pick(random.pick(sources)), random),
    );
    accepted += await endure(populace, batch);
    if ((done + perPush) % perAnalysis === 0) harm.push(...failedAnalyzers(populace.mesh));
  }
  if (accepted < count / 50) harm.push(`only ${accepted} came further than the parser`);
  return [...harm, ...slow];
}

/** A mesh with proxies that subscribe to everything. */
interface Populated {
  readonly mesh: ScenarioMesh;
  readonly proxies: readonly EnvoyModel[];
}

async function populated(): Promise<Populated> {
  const mesh = await ScenarioMesh.serving("");
  const proxies = [mesh.connect("delta", gatewayIn("shop")), mesh.connect("sotw", sidecar)];
  await mesh.settle(proxies);
  return { mesh, proxies };
}

/** The number of documents accepted without an error. */
async function endure({ mesh, proxies }: Populated, batch: readonly string[]): Promise<number> {
  const issues = batch.map((text) => tried(text, () => mesh.applyValid(text)));
  await mesh.settle(proxies);
  const problems = mesh.problems.map(({ derivation, input, cause }) => `${derivation} ${input}: ${cause.stack}`);
  if (problems.length + mesh.observer.failures.length > 0) {
    throw new AggregateError([...problems, ...mesh.observer.failures], `after ${JSON.stringify(batch)}`);
  }
  return issues.filter((list) => list.every(({ severity }) => severity !== "error")).length;
}

function failedAnalyzers(mesh: ScenarioMesh): readonly string[] {
  return mesh.analysed.messages.filter(({ type }) => type === messages.internalError).map(({ text }) => text);
}

/** Adds the document to an error that it causes. */
function tried<T>(text: string, work: () => T): T {
  const before = process.cpuUsage();
  try {
    return work();
  } catch (cause) {
    throw new Error(`with ${JSON.stringify(text)}`, { cause });
  } finally {
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    if (isFuzzing && ms > longestMs) slow.push(`${ms} ms for ${JSON.stringify(text)}`);
  }
}
