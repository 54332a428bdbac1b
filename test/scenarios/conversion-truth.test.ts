import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import type { Transformer } from "../../src/galley/processor/transformer.ts";
import { ingressTransformer } from "../../src/galley/processor/transforms/ingress.ts";
import { oldIngressTransformer } from "../../src/galley/processor/transforms/old-ingress.ts";
import { serviceTransformer } from "../../src/galley/processor/transforms/services.ts";
import { TransformerRig } from "../../src/testing/galley/transformer-rig.ts";
import { type Dependency, ForgetfulGraph } from "../../src/testing/graph/forgetful-graph.ts";
import { type ClusterEdit, ingressEdits, oldIngressEdits, serviceEdits } from "../../src/testing/mesh/cluster-edits.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";

const subjects = {
  services: { transformer: serviceTransformer("cluster.local"), histories: serviceEdits },
  ingress: { transformer: ingressTransformer("cluster.local"), histories: ingressEdits },
  oldIngress: { transformer: oldIngressTransformer("cluster.local"), histories: oldIngressEdits },
};

type Subject = (typeof subjects)[keyof typeof subjects];

type Written = ClusterEdit["object"];

/** The final objects, by their identity. */
type Final = ReadonlyMap<string, Written>;

interface Fault {
  readonly forgotten?: Dependency;
  /** The kind whose deletions are lost. */
  readonly deafTo?: string;
}

function idOf({ kind, apiVersion, metadata }: Written): string {
  return `${apiVersion} ${kind} ${metadata?.namespace} ${metadata?.name}`;
}

function write(conversion: TransformerRig, { object, deleted }: ClusterEdit): void {
  const text = JSON.stringify(object);
  if (object.kind === undefined) conversion.setMesh(text);
  else if (deleted) conversion.remove(text);
  else conversion.apply(text);
}

function finalOf(batches: readonly (readonly ClusterEdit[])[]): Final {
  const final = new Map<string, Written>();
  for (const { object, deleted } of batches.flat()) {
    if (deleted && object.kind !== undefined) final.delete(idOf(object));
    else final.set(idOf(object), object);
  }
  return final;
}

/** All contents except the origin, which is the same text for all. */
function contentsOf(conversion: TransformerRig): unknown {
  return Object.entries(conversion.contents()).map(([name, entries]) => [
    name,
    entries.map(([key, config]) => [key, withoutOrigin(config)]),
  ]);
}

function withoutOrigin({ origin: _origin, ...config }: Config): unknown {
  return config;
}

/** True if any history, batch by batch, ends like its final objects in another order. */
function property({ transformer, histories }: Subject, { forgotten, deafTo = "nothing" }: Fault = {}) {
  return fc.property(histories, fc.infiniteStream(fc.nat()), (batches, chance) => {
    const incremental = new TransformerRig(transformer, new ForgetfulGraph(forgotten));
    for (const batch of batches) {
      incremental.graph.batch(() => {
        for (const edit of batch) if (!edit.deleted || edit.object.kind !== deafTo) write(incremental, edit);
      });
    }
    const rebuilt = new TransformerRig(transformer);
    const shuffled = [...finalOf(batches).values()].map((object) => ({ object, order: chance.next().value }));
    for (const { object } of shuffled.toSorted((a, b) => a.order - b.order)) write(rebuilt, { object, deleted: false });
    expect(contentsOf(incremental)).toEqual(contentsOf(rebuilt));
    expect(incremental.graph.problems).toEqual([]);
  });
}

test.each(Object.entries(subjects))(
  "%s: any history ends in the state of its final objects, in any order",
  (_name, subject) => {
    const { failed, counterexample } = fc.check(property(subject), { seed, numRuns: runs(25) });
    expect({ failed, counterexample }).toEqual({ failed: false, counterexample: null });
  },
);

describe("the oracle notices", () => {
  const forgotten = Object.values(subjects).flatMap((subject) =>
    dependenciesOf(subject.transformer).map((dependency) => ({ subject, ...dependency })),
  );

  test.each(forgotten)("$derivation not waking when $read changes", ({ subject, ...dependency }) => {
    expect(finds(subject, { forgotten: dependency })).toBe(true);
  });

  test.each([
    ["services", "Service"],
    ["services", "Endpoints"],
    ["services", "EndpointSlice"],
    ["services", "Pod"],
    ["services", "Node"],
    ["services", "Namespace"],
    ["ingress", "Ingress"],
    ["ingress", "IngressClass"],
    ["ingress", "Service"],
    ["oldIngress", "Ingress"],
  ] as const)("%s missing deletions of %s", (name, deafTo) => {
    expect(finds(subjects[name], { deafTo })).toBe(true);
  });
});

function finds(subject: Subject, fault: Fault): boolean {
  return fc.check(property(subject, fault), { seed: 7, numRuns: 500, endOnFailure: true }).failed;
}

function dependenciesOf(transformer: Transformer): readonly Dependency[] {
  const graph = new ForgetfulGraph();
  const collections = new Map(transformer.inputs.map((name) => [name, graph.input<Config>(name)]));
  transformer.install(graph, (name) => collections.get(name) ?? graph.input<Config>(name));
  return graph.dependencies;
}
