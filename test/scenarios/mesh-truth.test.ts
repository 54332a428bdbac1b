import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { protocolDefaults } from "../../src/app/pipeline.ts";
import { type EnvoyModel, gatewayIn, type ModelNode } from "../../src/testing/envoy/envoy-model.ts";
import { clusterObject } from "../../src/testing/mesh/cluster-edits.ts";
import { type Edit, meshEdits } from "../../src/testing/mesh/mesh-edits.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { type ObjectEdit, WrittenObjects } from "../../src/testing/mesh/written-objects.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { clusterType, endpointType, listenerType, routeType, virtualHostType } from "../../src/xds/type-urls.ts";

function sidecar(address: string, namespace: string, metadata: ModelNode["metadata"] = {}): ModelNode {
  const nodeId = `sidecar~${address}~x-0.${namespace}~${namespace}.svc.cluster.local`;
  return { nodeId, metadata: { LABELS: { app: "x" }, ...metadata } };
}

const meshNodes: readonly ModelNode[] = [
  { ...gatewayIn("a"), metadata: { LABELS: { app: "edge" } } },
  sidecar("10.0.0.1", "a"),
  sidecar("10.1.0.1", "b", { SDS_MODE: "none" }),
  sidecar("10.0.0.2", "a", { INTERCEPTION_MODE: "NONE" }),
];

function inCluster(id: string, namespace: string, labels: Readonly<Record<string, string>>): ModelNode {
  return { nodeId: `${id}-0.${namespace}~${namespace}.svc.cluster.local`, metadata: { LABELS: labels } };
}

const clusterNodes: readonly ModelNode[] = [
  inCluster("sidecar~10.0.0.1~p", "a", { v: "1" }),
  inCluster("sidecar~10.0.0.9~x", "b", {}),
  inCluster("router~10.0.1.1~old", "istio-system", { istio: "ingress" }),
  inCluster("router~10.0.1.2~new", "istio-system", { istio: "ingressgateway" }),
];

const clusterEdit = fc.record({ object: clusterObject, deleted: fc.nat(2).map((chance) => chance === 0) });
const clusterHistories = fc.array(fc.array(clusterEdit, { minLength: 1, maxLength: 4 }), {
  minLength: 2,
  maxLength: 16,
});

const types = [clusterType, endpointType, listenerType, routeType, virtualHostType];

/** The protocol of proxies. With `vhds` they get virtual hosts as resources, of all route configurations with some. */
type Protocol = "sotw" | "delta" | "vhds";

const protocol = { ...protocolDefaults, splitFrom: 1 };

function connect(mesh: ScenarioMesh, by: Protocol, nodes: readonly ModelNode[]): readonly EnvoyModel[] {
  return nodes.map((node) => (by === "vhds" ? mesh.connect("delta", { ...node, minor: 40 }) : mesh.connect(by, node)));
}

function holdings(envoy: EnvoyModel): readonly (readonly string[])[] {
  return types.map((type) => {
    const held = envoy.held.get(type) ?? new Map<string, { readonly content: { readonly text?: string } }>();
    return Array.from(held, ([name, { content }]) => `${name} ${content.text}`).toSorted();
  });
}

/** The resources that a fresh server with the same objects gives to new proxies. */
async function freshHoldings(objects: WrittenObjects, by: Protocol, nodes: readonly ModelNode[]) {
  const mesh = await ScenarioMesh.serving(objects.texts.join("\n---\n"), { protocol });
  const newcomers = connect(mesh, by, nodes);
  await mesh.settle(newcomers);
  return newcomers.map(holdings);
}

describe.each(["sotw", "delta", "vhds"] as const)("proxies of every kind, %s", (by) => {
  test("hold the resources of a fresh server after mesh edits, without dangling references on the way", async () => {
    await fc.assert(
      fc.asyncProperty(meshEdits, async (batches) => {
        const mesh = await ScenarioMesh.serving("", { protocol });
        const objects = new WrittenObjects();
        const proxies = connect(mesh, by, meshNodes);
        for (const batch of batches) {
          const before = proxies.map((proxy) => proxy.names(clusterType));
          mesh.batch(() => batch.map(objectEdit).forEach((edit) => objects.edit(edit, mesh)));
          await mesh.settle(proxies);
          expect(proxies.map(({ warming }) => warming)).toEqual(proxies.map(() => 0));
          expect(proxies.flatMap((proxy, i) => brokenBy(proxy, before[i] ?? []))).toEqual([]);
        }
        expect(proxies.map(holdings)).toEqual(await freshHoldings(objects, by, meshNodes));
      }),
      { seed, numRuns: runs(20) },
    );
  });

  test("hold the resources of a fresh server after cluster edits", async () => {
    await fc.assert(
      fc.asyncProperty(clusterHistories, async (batches) => {
        const mesh = await ScenarioMesh.serving("", { protocol });
        const objects = new WrittenObjects();
        const proxies = connect(mesh, by, clusterNodes);
        for (const batch of batches) {
          mesh.batch(() => batch.forEach((edit) => objects.edit(edit, mesh)));
          await mesh.settle(proxies);
        }
        expect(proxies.map(holdings)).toEqual(await freshHoldings(objects, by, clusterNodes));
        expect(mesh.problems).toEqual([]);
      }),
      { seed, numRuns: runs(15) },
    );
  });
});

function objectEdit({ apiVersion, kind, namespace, name, spec }: Edit): ObjectEdit {
  const object = { apiVersion, kind, metadata: { namespace, name }, spec: spec ?? {} };
  return { object, deleted: spec === undefined };
}

/**
 * The promises that we broke since the last time. A missing or empty cluster may be the users' intent: they route to
 * hosts without endpoints. Such a cluster was missing before, or is still missing after everything has settled.
 */
function brokenBy(proxy: EnvoyModel, clustersBefore: readonly string[]): readonly string[] {
  const known = new Set([...clustersBefore, ...proxy.names(clusterType)]);
  const { unserved } = proxy;
  return proxy.broken.splice(0).filter((promise) => {
    const cluster = / cluster (?<name>\S+)|^cluster (?<name>\S+)/u.exec(promise)?.groups?.["name"] ?? "";
    return known.has(cluster) && !unserved.has(cluster);
  });
}
