import { describe, expect, test } from "vitest";
import type { Kind } from "./kind.ts";
import { kindByCollection, kindOf, kinds, splitApiVersion } from "./kinds.ts";

function servedAs({ group, versions, aliases = [] }: Kind): readonly string[] {
  return [...versions.map((version) => (group === "" ? version : `${group}/${version}`)), ...aliases];
}

/** The format of collection names: segments of letters, digits, dots and underscores. */
const collectionName = /^\w[\w.]*(?:\/\w[\w.]*)*$/u;

describe("the table of kinds", () => {
  test.each([
    ["collection", kinds.map(({ collection }) => collection)],
    ["group and kind", kinds.map(({ group, kind }) => `${group}/${kind}`)],
    ["group and plural", kinds.map(({ group, plural }) => `${group}/${plural}`)],
    ["kind of an API version", kinds.flatMap((row) => servedAs(row).map((apiVersion) => `${apiVersion}/${row.kind}`))],
  ])("no %s is there twice", (_, values) => {
    expect(new Set(values).size).toBe(values.length);
  });

  test.each(kinds.map((row) => [row.kind, row] as const))(
    "%s is named after its plural and has a version",
    (_, row) => {
      expect(row.plural).toMatch(/^[a-z]+s$/u);
      expect(row.versions.length).toBeGreaterThan(0);
      expect(row.kind).toMatch(/^[A-Za-z]+$/u);
      expect(row.collection).toMatch(collectionName);
      expect(row.output ?? row.collection).toMatch(collectionName);
    },
  );

  test("Kubernetes collections hold group, a version we accept, and plural", () => {
    for (const row of kinds.filter(({ collection }) => collection.startsWith("k8s/"))) {
      const [, group, version, plural] = row.collection.split("/");
      expect([group, plural]).toEqual([row.group || "core", row.plural]);
      expect(row.versions).toContain(version);
    }
  });

  test("every kind is found by each of its versions, and by its collection", () => {
    for (const row of kinds) {
      for (const apiVersion of servedAs(row)) expect(kindOf(apiVersion, row.kind)).toBe(row);
      expect(kindByCollection(row.collection)).toBe(row);
    }
  });

  test("other names are not found", () => {
    expect(kindOf("networking.istio.io/v9", "Gateway")).toBeUndefined();
    expect(kindOf("gateway.networking.k8s.io/v1", "Gateway")).toBeUndefined();
    expect(kindOf("v1", "ReplicationController")).toBeUndefined();
    expect(kindByCollection("k8s/core/v1/replicationcontrollers")).toBeUndefined();
  });

  test("an apiVersion without group belongs to the core group", () => {
    expect(splitApiVersion("v1")).toEqual({ group: "", version: "v1" });
    expect(splitApiVersion("apps/v1")).toEqual({ group: "apps", version: "v1" });
  });
});
