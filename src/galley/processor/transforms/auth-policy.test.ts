import { expect, test } from "vitest";
import type { Policy } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import { Graph } from "../../../collection/graph.ts";
import { type Config, configKey } from "../../../config/config.ts";
import { policy } from "../../../config/kinds/legacy/authentication-policy.ts";
import { kinds } from "../../../config/kinds.ts";
import { configIn } from "../../../testing/config/configs-in.ts";
import { transformsFor } from "../transforms.ts";

const output = "istio/authentication/v1alpha1/policies";

function read(peers: string): Config<Policy> {
  const text = `apiVersion: authentication.istio.io/v1alpha1\nkind: Policy\nmetadata: {name: default}\nspec: {peers: ${peers}}\n`;
  return configIn(text) as Config<Policy>;
}

function rig() {
  const graph = new Graph();
  const input = graph.input<Config>(policy.collection);
  const transformer = transformsFor(kinds).find(({ inputs }) => inputs.includes(policy.collection));
  const made = transformer?.install(graph, () => input).get(output);
  return { graph, input, out: () => made?.get("default/default") as Config<Policy> | undefined };
}

test("an empty mtls method leaves as mutual TLS, and the input object is unchanged", () => {
  const { graph, input, out } = rig();
  const config = read("[{mtls: null}]");
  graph.batch(() => input.set(configKey(config), config));
  expect(out()?.spec.peers).toMatchObject([{ params: { case: "mtls", value: { mode: 0 } } }]);
  expect(out()?.version).toBe(read("[{mtls: {}}]").version);
  expect(config.spec.peers).toMatchObject([{ params: { case: undefined } }]);
});

test("an explicit policy leaves unchanged, and disappears when it is deleted", () => {
  const { graph, input, out } = rig();
  const config = read("[{mtls: {mode: PERMISSIVE}}]");
  graph.batch(() => input.set(configKey(config), config));
  expect(out()).toBe(config);
  graph.batch(() => input.delete(configKey(config)));
  expect(out()).toBeUndefined();
});
