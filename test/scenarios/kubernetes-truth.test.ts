import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EnvoyModel, ModelNode } from "../../src/testing/envoy/envoy-model.ts";
import { clusterEdits } from "../../src/testing/mesh/cluster-edits.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../src/xds/type-urls.ts";

const types = [clusterType, endpointType, listenerType, routeType];

function node(id: string, namespace: string, labels: Readonly<Record<string, string>>): ModelNode {
  return { nodeId: `${id}-0.${namespace}~${namespace}.svc.cluster.local`, metadata: { LABELS: labels } };
}

const nodes: readonly ModelNode[] = [
  node("sidecar~10.0.0.1~p", "a", { v: "1" }),
  node("sidecar~10.0.0.9~x", "b", {}),
  node("router~10.0.1.1~old", "istio-system", { istio: "ingress" }),
  node("router~10.0.1.2~new", "istio-system", { istio: "ingressgateway" }),
];

function holdings(envoy: EnvoyModel): readonly (readonly string[])[] {
  return types.map((type) =>
    Array.from(envoy.held.get(type) ?? [], ([name, { content }]) => `${name} ${content.text}`).toSorted(),
  );
}

describe.each(["sotw", "delta"] as const)("proxies in a cluster, %s", (mode) => {
  test("hold in the end what a proxy that has just come would get", async () => {
    await fc.assert(
      fc.asyncProperty(clusterEdits, async (batches) => {
        const mesh = await ScenarioMesh.serving("");
        const proxies = nodes.map((each) => mesh.connect(mode, each));
        for (const batch of batches) {
          mesh.batch(() => {
            for (const { object, deleted } of batch) {
              if (deleted) mesh.removeAll(JSON.stringify(object));
              else mesh.apply(JSON.stringify(object));
            }
          });
          await mesh.settle(proxies);
        }
        const newcomers = nodes.map((each) => mesh.connect(mode, each));
        await mesh.settle(newcomers);
        expect(proxies.map(holdings)).toEqual(newcomers.map(holdings));
        expect(mesh.problems).toEqual([]);
      }),
      { seed, numRuns: runs(15) },
    );
  });
});
