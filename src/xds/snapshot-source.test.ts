import { expect, test } from "vitest";
import { assert } from "../lib/assert.ts";
import { envoyResourceTypes } from "./resource-type.ts";
import { SnapshotSource } from "./snapshot-source.ts";
import { clusterType } from "./type-urls.ts";

const [clusters] = envoyResourceTypes;
assert(clusters !== undefined, "Envoy has types");

const resource = (name: string, content: string) => ({ typeUrl: clusterType, name, value: Buffer.from(content) });

test("clients of a group without a snapshot wait", () => {
  const source = new SnapshotSource();
  const lease = source.lease(clusters, { nodeId: "a" });
  expect(lease.target).toBeUndefined();
  source.set("a", { resources: [] });
  expect(lease.target?.map((set) => set.size)).toEqual([0]);
  source.clear("a");
  expect(lease.target).toBeUndefined();
});

test("clients of one group share one set that other groups do not see", () => {
  const source = new SnapshotSource({ groupOf: ({ nodeId }) => nodeId.slice(0, 1) });
  source.set("a", { resources: [resource("x", "1")] });
  source.set("b", { resources: [] });
  const [one, other, stranger] = ["a1", "a2", "b1"].map((nodeId) => source.lease(clusters, { nodeId }));
  expect(one?.target?.[0]).toBe(other?.target?.[0]);
  expect(one?.id).toBe(other?.id);
  expect(stranger?.target?.[0]?.size).toBe(0);
});

test("unchanged resources keep their identity from one snapshot to the next", () => {
  const source = new SnapshotSource();
  const lease = source.lease(clusters, { nodeId: "a" });
  source.set("a", { resources: [resource("x", "1"), resource("y", "1")] });
  const before = lease.target?.[0];
  source.set("a", { resources: [resource("y", "1"), resource("x", "1")] });
  expect(lease.target?.[0]).toBe(before);
  source.set("a", { resources: [resource("x", "2"), resource("y", "1")] });
  expect(lease.target?.[0]?.get("y")).toBe(before?.get("y"));
  expect(lease.target?.[0]?.version).not.toBe(before?.version);
});

test("a snapshot may set its own versions, for all types or by type", () => {
  const source = new SnapshotSource();
  const lease = source.lease(clusters, { nodeId: "a" });
  source.set("a", { resources: [{ ...resource("x", "1"), version: "r7" }], version: "7" });
  expect([lease.target?.[0]?.version, lease.target?.[0]?.get("x")?.version]).toEqual(["7", "r7"]);
  source.set("a", { resources: [resource("x", "1")], version: new Map([[clusterType, "8"]]) });
  expect(lease.target?.[0]?.version).toBe("8");
});

test("a listener gets every snapshot until it unsubscribes", () => {
  const source = new SnapshotSource();
  let heard = 0;
  const stop = source.onChange(() => heard++);
  source.set("a", { resources: [] });
  stop();
  source.set("a", { resources: [] });
  expect(heard).toBe(1);
});
