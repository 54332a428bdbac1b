import { describe, expect, test } from "vitest";
import { readObjects } from "./read-objects.ts";

const entry = (name: string, more = "") => `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}${more}}
spec: {hosts: [${name}.shop], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS}
`;

describe("the objects of files", () => {
  test("are kept as written, with their namespace and resource version", () => {
    const text = `${entry("reviews")}---\n${entry("ratings", ", namespace: other, resourceVersion: '7'")}`;
    const { writes, issues } = readObjects([{ file: "a.yaml", text }], "shop");
    expect(issues).toEqual([]);
    expect(writes).toMatchObject([
      { id: { namespace: "shop", name: "reviews" }, version: undefined, fields: { metadata: { namespace: "shop" } } },
      { id: { namespace: "other", name: "ratings" }, version: "7", fields: { spec: { hosts: ["ratings.shop"] } } },
    ]);
  });

  test("may be items of a List", () => {
    const items = ["reviews", "ratings"].map(entryObject);
    const text = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    expect(readObjects([{ file: "a.json", text }], "shop").writes.map(({ id }) => id.name)).toEqual([
      "reviews",
      "ratings",
    ]);
  });

  test("are refused if two have the same name", () => {
    const files = ["a.yaml", "b.yaml"].map((file) => ({ file, text: entry("reviews") }));
    expect(readObjects(files, "shop").issues).toMatchObject([
      { severity: "error", code: "duplicate-object", message: "also at a.yaml:1", place: { file: "b.yaml", line: 1 } },
    ]);
  });

  test("of unknown kinds are left out with a warning", () => {
    const text = entry("reviews").replace("networking.istio.io/v1", "example.com/v1").replace("ServiceEntry", "Widget");
    const { writes, issues } = readObjects([{ file: "a.yaml", text }], "shop");
    expect(writes).toEqual([]);
    expect(issues).toMatchObject([{ severity: "warning", code: "ignored-kind", object: "Widget reviews" }]);
  });
});

function entryObject(name: string): object {
  const spec = { hosts: [`${name}.shop`], ports: [{ number: 80, name: "http", protocol: "HTTP" }], resolution: "DNS" };
  return { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata: { name }, spec };
}
