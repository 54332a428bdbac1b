import fc from "fast-check";
import { expect, test } from "vitest";
import { readMesh } from "../../src/app/offline/read-mesh.ts";
import { type Edit, meshEdits } from "../../src/testing/mesh/mesh-edits.ts";
import { proxyWithName } from "../../src/testing/model/proxy-with-name.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";

const proxies = [
  proxyWithName("router~10.0.0.9~edge-0.a~a.svc.cluster.local", { NAMESPACE: "a", LABELS: { app: "edge" } }),
  proxyWithName("sidecar~10.0.0.1~x-0.a~a.svc.cluster.local", { NAMESPACE: "a", LABELS: { app: "x" } }),
  proxyWithName("sidecar~10.0.0.3~x-1.a~a.svc.cluster.local", { NAMESPACE: "a", GENERATOR: "grpc" }),
];

/** The objects that are left after all edits. */
const objects = meshEdits.map((batches) => {
  const last = new Map(batches.flat().map((edit) => [`${edit.kind}/${edit.namespace}/${edit.name}`, edit]));
  return [...last.values()].filter(({ spec }) => spec !== undefined);
});

/** Objects in some order, and where one file ends and the next begins. */
const arrangement = objects.chain((list) =>
  fc.record({
    list: fc.constant(list),
    shuffled: fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
    filesAt: fc.array(fc.nat(list.length), { maxLength: 3 }),
  }),
);

function documentOf({ apiVersion, kind, namespace, name, spec }: Edit): string {
  return JSON.stringify({ apiVersion, kind, metadata: { namespace, name }, spec });
}

function filesOf(list: readonly Edit[], cuts: readonly number[]) {
  const places = [0, ...cuts.toSorted((a, b) => a - b), list.length];
  const parts = places.slice(1).map((end, index) => list.slice(places[index], end));
  return parts.map((part, index) => ({ file: `${index}.yaml`, text: part.map(documentOf).join("\n---\n") }));
}

/** Every resource of every proxy: its name, the hash of its bytes, and whose it is. */
async function servedFrom(list: readonly Edit[], cuts: readonly number[] = []): Promise<readonly string[]> {
  const inputs = filesOf(list, cuts);
  const mesh = await readMesh({ inputs, mesh: undefined, domain: "cluster.local", clusterId: "Kubernetes" });
  return proxies.flatMap((proxy) =>
    mesh
      .resourcesFor(proxy)
      .flatMap(({ shortName, resources }) =>
        resources.map(({ name, version, owners }) => `${proxy.id} ${shortName} ${name} ${version} ${owners.join()}`),
      ),
  );
}

test("documents in any order and in any files give the same bytes in the same order", async () => {
  await fc.assert(
    fc.asyncProperty(arrangement, async ({ list, shuffled, filesAt }) => {
      expect(await servedFrom(shuffled, filesAt)).toEqual(await servedFrom(list));
    }),
    { seed, numRuns: runs(60) },
  );
});
