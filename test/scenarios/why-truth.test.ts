import { create, type JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { resourceJson } from "../../src/admin/resource/resource-json.ts";
import { readMesh } from "../../src/app/offline/read-mesh.ts";
import { describeNode } from "../../src/cli/nodes/describe-node.ts";
import { isRefused } from "../../src/config/finding.ts";
import { proxyOf } from "../../src/pilot/xds/node.ts";
import { leafPaths, locateField, valueOf } from "../../src/provenance/located-field.ts";
import { coreObjects } from "../../src/testing/mesh/core-edits.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { type ObjectEdit, WrittenObjects } from "../../src/testing/mesh/written-objects.ts";
import { Random } from "../../src/testing/random/random.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../src/xds/type-urls.ts";

const settings = { mesh: undefined, domain: "cluster.local", clusterId: "Kubernetes" };
const types = { cluster: clusterType, endpoint: endpointType, listener: listenerType, route: routeType };
const typeNames = ["cluster", "endpoint", "listener", "route"] as const;
const nodes = [
  "sidecar~10.0.0.1~one-0.a~a.svc.cluster.local",
  "router~10.9.9.9~gw-0.istio-system~istio-system.svc.cluster.local",
];

/** One field of one resource of a proxy. */
interface Field {
  readonly node: string;
  readonly type: keyof typeof types;
  readonly resource: string;
  readonly path: string;
}

/** The file has one value per line: JSON is YAML. */
function linesOf(objects: readonly string[]): readonly string[] {
  return objects.flatMap((text) => ["---", ...JSON.stringify(JSON.parse(text), undefined, 2).split("\n")]);
}

/** The proxy as the command assumes it. */
function proxyNamed(id: string) {
  const sketch = { id, ...settings, labels: {}, certificates: { type: "none" }, metadata: {} } as const;
  return proxyOf(create(NodeSchema, describeNode(sketch)));
}

/** Reads the text in a fresh pipeline. Undefined if an object in it is invalid. */
async function resourcesIn(lines: readonly string[], node: string) {
  const mesh = await readMesh({ inputs: [{ file: "mesh.yaml", text: lines.join("\n") }], ...settings });
  if (isRefused(mesh.issues)) return undefined;
  return mesh.resourcesFor(proxyNamed(node));
}

async function valueIn(lines: readonly string[], { node, type, resource, path }: Field, original: JsonValue) {
  const sent = await resourcesIn(lines, node);
  if (sent === undefined) return "invalid";
  const found = sent.filter(({ typeUrl }) => typeUrl === types[type]).flatMap(({ resources }) => resources);
  const entry = found.find(({ name }) => name === resource)?.entry;
  const field = locateField(original, path) ?? [];
  return { value: entry && valueOf(resourceJson(entry), field) };
}

const valueLine = /^(?<before>\s*(?:"[^"]+": )?)(?<value>"[^"]*"|\d+|true|false)(?<after>,?)$/u;

/** The line with another value. The values are chosen apart from those that the command tries. */
function otherLines(line: string): readonly string[] {
  const { before = "", value = "", after = "" } = valueLine.exec(line)?.groups ?? {};
  const others = () => {
    if (value === "true" || value === "false") return [value === "true" ? "false" : "true"];
    if (!value.startsWith('"')) return [String(Number(value) + 7), String(Number(value) + 1)];
    const text = value.slice(1, -1);
    const [, number, unit] = /^(\d+)(ms|s|m|h)$/u.exec(text) ?? [];
    const [, network] = /^(\d+\.\d+\.\d+)\.\d+$/u.exec(text) ?? [];
    if (number !== undefined) return [`"${Number(number) + 3}${unit}"`];
    if (network !== undefined) return [`"${network}.250"`];
    return [`"zz-${text}"`, `"${text}-zz"`];
  };
  return others().map((other) => `${before}${other}${after}`);
}

/** Whether the line has a value, and not the kind of an object. */
function isValue(line: string): boolean {
  return valueLine.test(line) && !/^\s*"(?:apiVersion|kind)": /u.test(line);
}

/** A field, its resource, and its value in the unchanged mesh. */
interface ObservedField extends Field {
  readonly original: JsonValue;
  readonly value: JsonValue | undefined;
}

async function randomField(lines: readonly string[], random: Random): Promise<ObservedField> {
  const node = random.pick(nodes);
  const sent = (await resourcesIn(lines, node)) ?? [];
  const named = typeNames.flatMap((type) =>
    sent
      .filter(({ typeUrl }) => typeUrl === types[type])
      .flatMap(({ resources }) => resources.map((resource) => ({ type, resource }))),
  );
  const { type, resource } = random.pick(named);
  const original = resourceJson(resource.entry);
  const path = random.pick([...leafPaths(original)]);
  const value = valueOf(original, locateField(original, path) ?? []);
  return { node, type, resource: resource.name, path, original, value };
}

/** Another version of the line, and whether the field changes with it. Undefined if no other version is valid. */
async function trial(lines: readonly string[], index: number, field: ObservedField) {
  for (const other of otherLines(lines[index] ?? "")) {
    const after = await valueIn(lines.with(index, other), field, field.original);
    if (after === "invalid") continue;
    const changed = JSON.stringify(after.value) !== JSON.stringify(field.value);
    return { changed, story: `${field.type} ${field.resource} ${field.path}: line ${index + 1} became ${other}` };
  }
  return undefined;
}

/** The lines that `why` names, from 0. */
async function namedLines(
  lines: readonly string[],
  { node, type, resource, path }: Field,
): Promise<ReadonlySet<number>> {
  const args = ["why", node, type, resource, path, "-f", "-", "-o", "json"];
  const { stdout } = await runCommand(args, { input: lines.join("\n") });
  const { causes }: { causes: readonly { reference: string }[] } = JSON.parse(stdout);
  return new Set(causes.map(({ reference }) => Number(reference.split(":").at(-1)) - 1));
}

function randomMesh(edits: readonly ObjectEdit[]): readonly string[] {
  const objects = new WrittenObjects();
  const sink = { apply: () => {}, removeAll: () => {} };
  for (const object of coreObjects) objects.edit({ object, deleted: false }, sink);
  for (const edit of edits) objects.edit(edit, sink);
  return linesOf(objects.texts);
}

/** `npm run fuzz 667 test/scenarios/why-truth.test.ts` tries 2 000 fields, and 20 other lines for each. */
const othersEach = runs(1) > 1 ? 20 : 8;

test("why names lines that change a field, and the field does not depend on other lines", async () => {
  const random = new Random(seed);
  const wrong: string[] = [];
  const tried = { fields: 0, named: 0, others: 0 };
  const samples = fc.sample(interactingEdits, { seed, numRuns: 5 * runs(3) });
  for (const [sample, [edits = []]] of samples.entries()) {
    // Some fields have no line: then others are tried, too.
    if (sample >= runs(3) && tried.named > 0) break;
    const lines = randomMesh(edits.slice(0, random.below(6)));
    const field = await randomField(lines, random);
    tried.fields++;
    const named = await namedLines(lines, field);
    const others = lines.flatMap((line, index) => (isValue(line) && !named.has(index) ? [index] : []));
    for (const index of named) {
      const result = await trial(lines, index, field);
      if (result === undefined) continue;
      tried.named++;
      if (!result.changed) wrong.push(`named, but without effect: ${result.story}`);
    }
    for (let other = 0; other < othersEach; other++) {
      const result = await trial(lines, random.pick(others), field);
      if (result === undefined) continue;
      tried.others++;
      if (result.changed) wrong.push(`not named, but with an effect: ${result.story}`);
    }
  }
  process.stderr.write(
    `${tried.fields} fields; ${tried.named} changes of named lines, ${tried.others} of other lines; ${wrong.length} wrong\n`,
  );
  expect(wrong).toEqual([]);
  // Some lines have no other valid value.
  expect(tried.others).toBeGreaterThan(runs(3));
  expect(tried.named).toBeGreaterThan(0);
});
