import { describe, expect, test } from "vitest";
import { kindByCollection, kindOf, kinds, splitApiVersion } from "./kinds.ts";

describe("the table of kinds", () => {
  test.each([
    ["collection", kinds.map(({ collection }) => collection)],
    ["group and kind", kinds.map(({ group, kind }) => `${group}/${kind}`)],
    ["group and plural", kinds.map(({ group, plural }) => `${group}/${plural}`)],
    ["message", kinds.map(({ schema }) => schema.typeName)],
  ])("no %s is there twice", (_, values) => {
    expect(new Set(values).size).toBe(values.length);
  });

  test.each(kinds.map((row) => [row.kind, row] as const))("%s is named after its message and its plural", (_, row) => {
    expect(row.schema.name).toBe(row.kind);
    expect(row.plural).toMatch(/^[a-z]+s$/u);
    expect(row.versions.length).toBeGreaterThan(0);
    expect(new Set(row.versions).size).toBe(row.versions.length);
  });

  test("Kubernetes collections hold group, a version we accept, and plural", () => {
    for (const row of kinds.filter(({ scope }) => scope === "namespace")) {
      const [prefix, group, version, plural] = row.collection.split("/");
      expect([prefix, group, plural]).toEqual(["k8s", row.group, row.plural]);
      expect(row.versions).toContain(version);
    }
  });

  test("every kind is found by each of its versions, and by its collection", () => {
    for (const row of kinds) {
      for (const version of row.versions) expect(kindOf(`${row.group}/${version}`, row.kind)).toBe(row);
      expect(kindByCollection(row.collection)).toBe(row);
    }
  });

  test("nothing else is found", () => {
    expect(kindOf("networking.istio.io/v9", "Gateway")).toBeUndefined();
    expect(kindOf("gateway.networking.k8s.io/v1", "Gateway")).toBeUndefined();
    expect(kindOf("v1", "Service")).toBeUndefined();
    expect(kindByCollection("k8s/core/v1/pods")).toBeUndefined();
  });

  test("an apiVersion without group is of the core group", () => {
    expect(splitApiVersion("v1")).toEqual({ group: "", version: "v1" });
    expect(splitApiVersion("apps/v1")).toEqual({ group: "apps", version: "v1" });
  });
});
