import fc from "fast-check";
import { expect, test } from "vitest";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import type { Proxy } from "../../src/pilot/model/proxy/proxy.ts";
import { capturePush, type PushContext, withEndpoints } from "../../src/pilot/model/push-context.ts";
import { isEndpointOnly, type PushRequest } from "../../src/pilot/model/push-request.ts";
import { pushRequestFor } from "../../src/pilot/registry/push-request-for.ts";
import { Catalogue } from "../../src/pilot/xds/catalogue.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { type Edit, meshEdits, meshNetworks } from "../../src/testing/mesh/mesh-edits.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import type { Lease } from "../../src/xds/resource-source.ts";
import { LoadedMesh, proxyFrom } from "./generate.ts";

interface Place {
  readonly region: string;
  readonly zone: string;
}

function proxy(
  id: string,
  namespace: string,
  metadata: Readonly<Record<string, string>> = {},
  { region, zone }: Place = { region: "eu", zone: "a" },
): Proxy {
  const [type, address, name] = id.split("~");
  return proxyFrom({
    locality: { region, zone },
    id: `${type}~${address}~${name}-0.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { NAMESPACE: namespace, CLUSTER_ID: "Kubernetes", LABELS: { app: name ?? "" }, ...metadata },
  });
}

/** One of each kind that gets something else than the others. */
const proxies: readonly Proxy[] = [
  proxy("router~10.0.0.9~edge", "a"),
  proxy("sidecar~10.0.0.1~x", "a"),
  proxy("sidecar~10.1.0.1~y", "b", { SDS_MODE: "none" }),
  proxy("sidecar~10.0.0.2~x", "a", { INTERCEPTION_MODE: "NONE" }),
  proxy("sidecar~10.0.0.3~x", "a", { GENERATOR: "grpc" }),
  proxy("sidecar~10.0.0.3~y", "a", { NETWORK: "north" }, { region: "us", zone: "c" }),
];

const noTurn = () => Promise.resolve();

function fail({ type, part, cause }: { type: string; part: string; cause: Error }): never {
  throw new Error(`${type}, ${part}`, { cause });
}

test("what changed, applied to what was there, is what a proxy would get from scratch", async () => {
  await fc.assert(
    fc.asyncProperty(meshEdits, fc.array(meshNetworks, { minLength: 1 }), async (batches, networks) => {
      const mesh = new LoadedMesh();
      const generators = createGenerators({ writer: new ProtoWriter() });
      const catalogue = new Catalogue(generators, capturePush(mesh.environment.views(), 0), fail);
      let leases = leaseAll(catalogue);
      for (const [index, batch] of batches.entries()) {
        // Seldom others: a change of networks alters everything, and would hide what is forgotten otherwise.
        const request = edited(mesh, batch, networks[Math.floor(index / 4) % networks.length] ?? {});
        if (request === undefined) continue;
        const push = pushAfter(catalogue.published, request, mesh);
        await catalogue.advance(push, request, noTurn);
        // As a connection does it with every push: a proxy's parts may be others now.
        const renewed = leaseAll(catalogue);
        for (const lease of leases.flat()) lease.end();
        leases = renewed;
        expect(leases.map(contentsOf)).toEqual(fromScratch(push).map(contentsOf));
      }
    }),
    { seed, numRuns: runs(60) },
  );
});

function edited(mesh: LoadedMesh, batch: readonly Edit[], networks: object): PushRequest | undefined {
  const commit = mesh.graph.batch(() => {
    for (const edit of batch) apply(edit, mesh);
    mesh.loadMeshNetworks({ file: "networks.yaml", text: JSON.stringify(networks) });
  });
  return commit === undefined ? undefined : pushRequestFor(commit, mesh.environment, 0);
}

/** Writing what is not valid changes nothing: so it is with Galley. */
function apply({ apiVersion, kind, namespace, name, spec }: Edit, mesh: LoadedMesh): void {
  if (spec === undefined) {
    mesh.input(kind).delete(`${namespace}/${name}`);
    return;
  }
  const object = { apiVersion, kind, metadata: { namespace, name }, spec };
  mesh.loadValid({ file: "edit.yaml", text: JSON.stringify(object) });
}

function pushAfter(published: PushContext, request: PushRequest, mesh: LoadedMesh): PushContext {
  const views = mesh.environment.views();
  const sequence = published.sequence + 1;
  return isEndpointOnly(request) ? withEndpoints(published, views, sequence) : capturePush(views, sequence);
}

function leaseAll(catalogue: Catalogue): readonly (readonly Lease[])[] {
  return proxies.map((each) => catalogue.types.map((type) => catalogue.lease(type, each, "all")));
}

/** What each proxy gets with nothing remembered: builders remember per writer, and this one is new. */
function fromScratch(push: PushContext): readonly (readonly Lease[])[] {
  return leaseAll(new Catalogue(createGenerators({ writer: new ProtoWriter() }), push, fail));
}

/** Per type, every name with its version, in the order it is sent. A name that stands in two parts is a bug of its own. */
function contentsOf(leases: readonly Lease[]): readonly (readonly string[])[] {
  return leases.map(({ target = [] }) => {
    const resources = target.flatMap((set) => [...set]);
    expect(new Set(resources.map(({ name }) => name)).size).toBe(resources.length);
    return resources.map(({ name, version, owners }) => `${name} ${version} ${owners.join()}`);
  });
}
