import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonValue, Registry } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { describeWithData, goldenScenarios, istiodGoldens } from "../../src/testing/shared-data.ts";
import { bodyOf, generateFor, loadEnvironment, proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";
import { loadRegistry } from "./registry.ts";

const types = ["CDS", "EDS", "LDS", "RDS"];

interface Recording {
  readonly request: { readonly names: readonly string[] };
  readonly resources: readonly { readonly name: string; readonly body: JsonValue }[];
}

interface RecordedNode {
  readonly name: string;
  readonly id: string;
}

function read(...path: readonly string[]): { readonly file: string; readonly text: string } {
  const file = join(istiodGoldens, ...path);
  return { file: basename(file), text: readFileSync(file, "utf8") };
}

function nodesOf(scenario: string): readonly RecordedNode[] {
  return JSON.parse(read(scenario, "nodes.json").text) as readonly RecordedNode[];
}

function environmentOf(scenario: string) {
  const conf = globSync("*.yaml", { cwd: join(istiodGoldens, scenario, "conf") }).toSorted();
  const sources = conf.map((file) => read(scenario, "conf", file));
  return loadEnvironment(sources, read(scenario, "mesh.yaml"));
}

describeWithData(istiodGoldens, "proxies get what istiod 1.29.6 sends", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await loadRegistry();
  });

  describe.each(goldenScenarios)("%s", (scenario) => {
    test.each(types)("%s", (type) => {
      const environment = environmentOf(scenario);
      const nodes = nodesOf(scenario);
      expect(nodes).not.toEqual([]);
      for (const node of nodes) {
        const generated = generateFor(proxyFrom({ ...node }), environment).get(type) ?? [];
        const recording = read(scenario, "expect", node.name, `${type}.json`).text;
        const { request, resources } = JSON.parse(recording) as Recording;
        // Where a client asks by name, the recording holds what it asked for; an empty list there means nothing.
        const byName = type === "EDS" || type === "RDS";
        const asked = byName ? generated.filter(({ name }) => request.names.includes(name)) : generated;
        const actual = asked.map((resource) => normalise(bodyOf(resource, registry)));
        expect.soft(actual, node.name).toEqual(resources.map(({ body }) => normalise(body)));
      }
    });
  });
});
