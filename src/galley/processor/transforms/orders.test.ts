import { describe, expect, test } from "vitest";
import type { Config } from "../../../config/config.ts";
import { type MeshService, meshServices } from "../../../config/mesh/mesh-service.ts";
import { TransformerRig } from "../../../testing/galley/transformer-rig.ts";
import { serviceTransformer } from "./services.ts";

const objects = {
  node: "{apiVersion: v1, kind: Node, metadata: {name: n, labels: {topology.kubernetes.io/region: eu}}}",
  pod: `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop, labels: {app: a}}
spec: {nodeName: n, serviceAccountName: x}
status: {phase: Running, podIP: 10.0.0.1}
`,
  service:
    "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop}, spec: {ports: [{name: http, port: 80}]}}",
  endpoints: `
apiVersion: v1
kind: Endpoints
metadata: {name: a, namespace: shop}
subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{name: http, port: 8080}]}]
`,
};

type Name = keyof typeof objects;

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first) => permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}

const orders = permutations(["node", "pod", "service", "endpoints"] satisfies Name[]).map((order) => ({ order }));

/** The expected state of the one service, given the present objects. */
function expected(present: ReadonlySet<Name>): unknown {
  if (!present.has("service")) return undefined;
  if (!present.has("endpoints")) return { endpoints: undefined };
  const labels = present.has("pod") ? { app: "a" } : {};
  const region = present.has("pod") && present.has("node") ? "eu" : "";
  return { endpoints: [{ address: "10.0.0.1", labels, locality: { region } }] };
}

function specIn(conversion: TransformerRig): MeshService | undefined {
  return (conversion.output(meshServices).get("shop/a") as Config<MeshService> | undefined)?.spec;
}

describe.each(orders)("in the order $order", ({ order }) => {
  test("every step of adding objects gives the state that follows from the present objects", () => {
    const conversion = new TransformerRig(serviceTransformer("cluster.local"));
    const steps = order.map((name, index) => {
      conversion.apply(objects[name]);
      return { made: specIn(conversion), wanted: expected(new Set(order.slice(0, index + 1))) };
    });
    for (const { made, wanted } of steps) expect({ spec: made }).toMatchObject({ spec: wanted });
  });

  test("every step of removing objects gives the state that follows from the remaining objects", () => {
    const conversion = new TransformerRig(serviceTransformer("cluster.local"));
    for (const text of Object.values(objects)) conversion.apply(text);
    const steps = order.map((name, index) => {
      conversion.remove(objects[name]);
      return { made: specIn(conversion), wanted: expected(new Set(order.slice(index + 1))) };
    });
    for (const { made, wanted } of steps) expect({ spec: made }).toMatchObject({ spec: wanted });
  });
});
