import { expect, test } from "vitest";
import { forwardTo } from "../../../testing/model/traffic.ts";
import { defaultMeshSettings as mesh } from "../../model/mesh-settings.ts";
import { noHashes } from "../../model/traffic/applied-hash.ts";
import type { HashKey } from "../../model/traffic/destination-rule.ts";
import type { Destination, Forward, HttpAction } from "../../model/traffic/virtual-service.ts";
import { grpcActionOf, plainActionOf } from "./grpc-action.ts";

function forward(weights: readonly number[], changes: Partial<Forward> = {}): HttpAction {
  const { action } = forwardTo("cart.shop");
  if (action.type !== "forward") throw new Error("it forwards");
  const destinations = weights.flatMap((weight, i) =>
    action.destinations.map((each): Destination => ({ ...each, subset: `v${i}`, weight })),
  );
  return { ...action, destinations, ...changes };
}

function clustersOf(action: HttpAction): unknown {
  const { clusterSpecifier } = grpcActionOf(action, 80, { mesh, hashes: noHashes }).value;
  return clusterSpecifier.case === "cluster" ? clusterSpecifier.value : clusterSpecifier.value.clusters;
}

test.each([
  ["one destination needs no weight", [0], "outbound|80|v0|cart.shop"],
  ["of two, the one with weight gets all", [0, 7], "outbound|80|v1|cart.shop"],
  ["of two without weight, neither gets anything", [0, 0], "BlackHoleCluster"],
  [
    "several share",
    [80, 0, 20],
    [
      { name: "outbound|80|v0|cart.shop", weight: 80 },
      { name: "outbound|80|v2|cart.shop", weight: 20 },
    ],
  ],
])("%s", (_, weights, clusters) => {
  expect(clustersOf(forward(weights))).toEqual(clusters);
});

test.each<HttpAction>([
  { type: "direct-response", status: 403, body: undefined },
  {
    type: "redirect",
    authority: "",
    path: { type: "replace", value: "/" },
    scheme: "",
    port: "default",
    code: 302,
  },
])("an action that gRPC does not support fails without retries: $type", (action) => {
  expect(clustersOf(action)).toBe("BlackHoleCluster");
  expect(grpcActionOf(action, 80, { mesh, hashes: noHashes }).value.retryPolicy).toBeUndefined();
});

test("a timeout limits the whole stream; without one, the client's own deadline does", () => {
  const timeout = { seconds: 3n, nanos: 0 };
  expect(grpcActionOf(forward([1], { timeout }), 80, { mesh, hashes: noHashes }).value.maxStreamDuration).toEqual({
    maxStreamDuration: timeout,
  });
  expect(grpcActionOf(forward([1]), 80, { mesh, hashes: noHashes }).value.maxStreamDuration).toBeUndefined();
});

test.each<[string, HashKey, number]>([
  ["clients hash calls by a header", { type: "header", name: "x-user" }, 1],
  ["clients do not hash calls by a cookie", { type: "cookie", name: "c", path: "", ttl: undefined, attributes: [] }, 0],
  ["clients do not hash calls by the source address", { type: "source-ip" }, 0],
])("%s", (_, key, policies) => {
  const hashes = () => ({ hash: { key, algorithm: "ring-hash", size: 1024 } as const, owners: [] });
  expect(grpcActionOf(forward([1]), 80, { mesh, hashes }).value.hashPolicy).toHaveLength(policies);
  expect(plainActionOf("c", mesh, hashes()).value.hashPolicy).toHaveLength(policies);
});
