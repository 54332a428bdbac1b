import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { resourceJson } from "../../src/admin/resource/resource-json.ts";
import { readMesh } from "../../src/app/offline/read-mesh.ts";
import { isRefused } from "../../src/config/finding.ts";
import { compareTexts } from "../../src/lib/compare.ts";
import { describeWithData, goldenScenarios, istiodGoldens } from "../../src/testing/shared-data.ts";
import { proxyFrom } from "./generate.ts";
import { namesIn, objectsIn, renamed, type ScenarioObjects } from "./rename.ts";

const kubernetes = [
  "k1-clusterip",
  "k2-headless",
  "k3-externalname",
  "k4-ingress",
  "k5-app-protocol",
  "k6-target-port",
];
const prefix = "zz";

function objectsOf(scenario: string): ScenarioObjects {
  const files = globSync("{conf,kube}/*.yaml", { cwd: join(istiodGoldens, scenario) }).toSorted();
  return objectsIn(files.map((file) => readFileSync(join(istiodGoldens, scenario, file), "utf8")));
}

function nodesOf(scenario: string): readonly JsonValue[] {
  return JSON.parse(readFileSync(join(istiodGoldens, scenario, "nodes.json"), "utf8")) as readonly JsonValue[];
}

/** The output of `translate` for each node: type, name and body of every resource. */
async function translated(objects: ScenarioObjects, nodes: readonly JsonValue[], scenario: string) {
  const mesh = await readMesh({
    inputs: [{ file: "mesh.yaml", text: objects.map((object) => JSON.stringify(object)).join("\n---\n") }],
    mesh: join(istiodGoldens, scenario, "mesh.yaml"),
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
  // A recording contains a Secret without a real certificate.
  const issues = mesh.issues.filter(({ object }) => !object.startsWith("Secret "));
  expect(issues.filter((issue) => isRefused([issue]))).toEqual([]);
  return nodes.map((node) =>
    mesh
      .resourcesFor(proxyFrom(node))
      .flatMap(({ shortName: type, resources }) =>
        resources.map(({ name, entry }) => ({ type, name, body: resourceJson(entry) })),
      ),
  );
}

/** Clusters of services and their endpoints, by name. */
async function outbound(objects: ScenarioObjects, nodes: readonly JsonValue[], scenario: string) {
  const all = await translated(objects, nodes, scenario);
  return all.map((resources) => resources.filter(({ name }) => name.startsWith("outbound|")).toSorted(byTypeAndName));
}

function byTypeAndName(a: { type: string; name: string }, b: { type: string; name: string }): number {
  return compareTexts(`${a.type} ${a.name}`, `${b.type} ${b.name}`);
}

describeWithData(istiodGoldens, "variations of the recorded scenarios", () => {
  test.each([...goldenScenarios, ...kubernetes])("%s has the same resources under other names", async (scenario) => {
    const [objects, nodes] = [objectsOf(scenario), nodesOf(scenario)];
    const names = namesIn(objects);
    const before = await translated(objects, nodes, scenario);
    const after = await translated(
      renamed([...objects], names, prefix) as ScenarioObjects,
      renamed([...nodes], names, prefix) as readonly JsonValue[],
      scenario,
    );
    const text = JSON.stringify(after);
    expect(text.includes(prefix)).toBe(names.length > 0);
    expect(JSON.parse(text.replaceAll(prefix, ""))).toEqual(before);
  });

  // Scenarios that restrict visibility are left out: beside others they hide objects on purpose.
  const open = goldenScenarios.filter((scenario) => !/sidecar|export/u.test(scenario));
  const pairs = open.slice(1).map((scenario, index) => [scenario, open[index] ?? ""] as const);
  test.each(pairs)("%s beside a renamed %s: the clusters and endpoints of both", async (first, second) => {
    const [objects, others, nodes] = [objectsOf(first), objectsOf(second), nodesOf(first)];
    const foreign = renamed([...others], namesIn(others), prefix) as ScenarioObjects;
    const together = await outbound([...objects, ...foreign], nodes, first);
    const [ours, theirs] = [await outbound(objects, nodes, first), await outbound(foreign, nodes, first)];
    const sum = ours.map((resources, index) => [...resources, ...(theirs[index] ?? [])].toSorted(byTypeAndName));
    expect(together).toEqual(sum);
  });
});
