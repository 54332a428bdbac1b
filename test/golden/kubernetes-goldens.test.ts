import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue, Registry } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { readMesh } from "../../src/app/offline.ts";
import { compareTexts } from "../../src/lib/compare.ts";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { bodyOf, proxyFrom } from "./generate.ts";
import { normalise } from "./normalise.ts";
import { loadRegistry } from "./registry.ts";

const types = ["CDS", "EDS", "LDS", "RDS"];
const names = ["k1-clusterip", "k2-headless", "k3-externalname", "k4-ingress", "k5-app-protocol", "k6-target-port"];

const scenarios = names.filter((name) => existsSync(join(istiodGoldens, name)));

/** What proxies are still sent otherwise. A test that is listed here has to fail, so that the list cannot outlive it. */
const different: ReadonlyMap<string, string> = new Map([
  ["k6-target-port sidecar-front CDS", "the recorder's API server left `protocol: TCP` out of container ports"],
  ["k6-target-port sidecar-front LDS", "the recorder's API server left `protocol: TCP` out of container ports"],
]);

interface RecordedNode {
  readonly name: string;
  readonly id: string;
}

interface Recording {
  readonly request: { readonly names: readonly string[] };
  readonly resources: readonly { readonly name: string; readonly body: JsonValue }[];
}

function read(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(istiodGoldens, ...path), "utf8"));
}

async function meshOf(scenario: string) {
  const folders = ["conf", "kube"].map((folder) => join(istiodGoldens, scenario, folder));
  return readMesh({
    inputs: folders.filter((folder) => existsSync(folder)),
    mesh: join(istiodGoldens, scenario, "mesh.yaml"),
    domain: "cluster.local",
    clusterId: "Kubernetes",
  });
}

describeWithData(istiodGoldens, "proxies in a cluster get what istiod 1.29.6 sends", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await loadRegistry();
  });

  test("of every scenario", () => {
    expect(scenarios).toEqual(names);
  });

  describe.each(scenarios)("%s", (scenario) => {
    const nodes = read(scenario, "nodes.json") as readonly RecordedNode[];
    const cases = nodes.flatMap((node) => types.map((type) => ({ node, type, name: `${node.name} ${type}` })));
    const differs = ({ name }: { readonly name: string }) => different.has(`${scenario} ${name}`);

    test.each(cases.filter((each) => !differs(each)))("$name", async ({ node, type }) => {
      const { ours, theirs } = await answersOf(scenario, node, type);
      expect(ours).toEqual(theirs);
    });

    test.fails.each(cases.filter(differs))("$name is still another", async ({ node, type }) => {
      const { ours, theirs } = await answersOf(scenario, node, type);
      expect(ours).toEqual(theirs);
    });
  });

  async function answersOf(scenario: string, node: RecordedNode, type: string) {
    const mesh = await meshOf(scenario);
    const typed = mesh.resourcesFor(proxyFrom({ ...node })).find(({ shortName }) => shortName === type);
    const { request, resources } = read(scenario, "expect", node.name, `${type}.json`) as Recording;
    const byName = type === "EDS" || type === "RDS";
    const asked = (typed?.resources ?? []).filter(({ name }) => !byName || request.names.includes(name));
    return {
      ours: asked
        .toSorted((a, b) => compareTexts(a.name, b.name))
        .map((resource) => normalise(bodyOf(resource, registry))),
      theirs: resources.map(({ body }) => normalise(body)),
    };
  }
});
