import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonValue, Registry } from "@bufbuild/protobuf";
import { beforeAll, expect, test } from "vitest";
import { describeWithData, istiodGoldens, routerScenarios } from "../../src/testing/shared-data.ts";
import { bodyOf, generateFor, loadEnvironment, proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";
import { loadRegistry } from "./registry.ts";

const types = ["CDS", "EDS", "LDS", "RDS"];

interface Recording {
  readonly resources: readonly { readonly name: string; readonly body: JsonValue }[];
}

function read(...path: readonly string[]): { readonly file: string; readonly text: string } {
  const file = join(istiodGoldens, ...path);
  return { file: basename(file), text: readFileSync(file, "utf8") };
}

function nodesOf(scenario: string): readonly { readonly name: string; readonly id: string }[] {
  const nodes = JSON.parse(read(scenario, "nodes.json").text) as { readonly name: string; readonly id: string }[];
  return nodes.filter(({ name }) => name.startsWith("router-"));
}

describeWithData(istiodGoldens, "routers get what istiod 1.29.6 sends", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await loadRegistry();
  });

  test.each(routerScenarios)("%s", (scenario) => {
    const nodes = nodesOf(scenario);
    expect(nodes).not.toEqual([]);
    const conf = globSync("*.yaml", { cwd: join(istiodGoldens, scenario, "conf") }).toSorted();
    const environment = loadEnvironment(
      conf.map((file) => read(scenario, "conf", file)),
      read(scenario, "mesh.yaml"),
    );
    for (const node of nodes) {
      const generated = generateFor(proxyFrom({ ...node }), environment);
      for (const type of types) {
        const recording = JSON.parse(read(scenario, "expect", node.name, `${type}.json`).text) as Recording;
        const expected = recording.resources.map(({ body }) => normalise(body));
        const actual = (generated.get(type) ?? []).map((resource) => normalise(bodyOf(resource, registry)));
        expect({ node: node.name, type, resources: actual }).toEqual({ node: node.name, type, resources: expected });
      }
    }
  });
});
