import fc from "fast-check";
import { expect, test } from "vitest";
import type { ConfigId } from "../../src/config/config.ts";
import { ProtoWriter } from "../../src/lib/proto-writer.ts";
import { PushContext } from "../../src/pilot/model/push-context.ts";
import { kindOf } from "../../src/pilot/model/push-request.ts";
import { pushRequestFor } from "../../src/pilot/registry/push-request-for.ts";
import type { Generated, Generator, PartInputs } from "../../src/pilot/xds/generator.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { runs, seed } from "../../src/testing/seed.ts";
import { LoadedMesh, proxyFrom } from "./generate.ts";
import { type Edit, meshEdits } from "./mesh-arbitrary.ts";

const proxy = proxyFrom({
  id: "router~10.0.0.9~edge-0.a~a.svc.cluster.local",
  metadata: { NAMESPACE: "a", CLUSTER_ID: "Kubernetes", LABELS: { app: "edge" } },
});

type Versions = ReadonlyMap<string, string>;

test("what changed, applied to what was there, is what a proxy would get from scratch", () => {
  fc.assert(
    fc.property(meshEdits, (batches) => {
      const mesh = new LoadedMesh();
      const generators = createGenerators({ writer: new ProtoWriter() });
      let before = PushContext.capture(mesh.environment.views(), 0);
      let held = fromScratch(before);
      for (const [index, batch] of batches.entries()) {
        const commit = mesh.graph.batch(() => batch.forEach((edit) => apply(edit, mesh)));
        const request = commit === undefined ? undefined : pushRequestFor(commit, mesh.environment, 0);
        const push = PushContext.capture(mesh.environment.views(), index + 1);
        const changed = request?.changed ?? new Set<ConfigId>();
        held = generators.map((generator, i) => update(held[i] ?? new Map(), generator, { before, push, changed }));
        expect(held.map(sorted)).toEqual(fromScratch(push).map(sorted));
        before = push;
      }
    }),
    { seed, numRuns: runs(60) },
  );
});

/** Deleting what a user could not have written, or changing it to that, changes nothing: so it is with Galley. */
function apply({ kind, namespace, name, spec }: Edit, mesh: LoadedMesh): void {
  if (spec === undefined) {
    mesh.input(kind).delete(`${namespace}/${name}`);
    return;
  }
  const object = { apiVersion: "networking.istio.io/v1", kind, metadata: { namespace, name }, spec };
  mesh.load({ file: "edit.yaml", text: JSON.stringify(object) });
}

function partOf(generator: Generator, push: PushContext): PartInputs {
  const [part] = generator.parts(proxy, push);
  if (part === undefined) throw new Error(`a router has a part of ${generator.shortName}`);
  return part;
}

/** What each type says with nothing remembered: builders remember per writer, and this one is new. */
function fromScratch(push: PushContext): readonly Versions[] {
  return createGenerators({ writer: new ProtoWriter() }).map((generator) =>
    applied(new Map(), generator.generate({ inputs: partOf(generator, push), push })),
  );
}

interface Change {
  readonly before: PushContext;
  readonly push: PushContext;
  readonly changed: ReadonlySet<ConfigId>;
}

/** As the push pipeline does it: a type is asked only if the change concerns it, before or after. */
function update(held: Versions, generator: Generator, { before, push, changed }: Change): Versions {
  const inputs = partOf(generator, push);
  const scopes = [before, push].map((each) => generator.scope(inputs, each));
  const concerned = [...changed].some(
    (id) => generator.concerns(kindOf(id)) && scopes.some((scope) => scope.dependsOn(id)),
  );
  if (!concerned) return held;
  return applied(held, generator.generate({ inputs, push, since: { push: before, changed } }));
}

function applied(held: Versions, { covers, resources }: Generated): Versions {
  const versions = new Map(covers === "all" ? [] : [...held].filter(([name]) => !covers.has(name)));
  for (const { name, version } of resources) {
    expect(covers === "all" || covers.has(name)).toBe(true);
    versions.set(name, version);
  }
  return versions;
}

function sorted(versions: Versions): readonly (readonly [string, string])[] {
  return [...versions].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
