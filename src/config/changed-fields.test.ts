import { describe, expect, test } from "vitest";
import { configIn } from "../testing/config/configs-in.ts";
import { changedFields } from "./changed-fields.ts";
import type { Config } from "./config.ts";

function route(spec: string, metadata = ""): Config {
  return configIn(`apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: a, namespace: shop, ${metadata} }
spec: ${spec}
`);
}

const destinations = (first: number, second: number) =>
  `[{ destination: { host: a }, weight: ${first} }, { destination: { host: b }, weight: ${second} }]`;
const base = route(`{ hosts: [a], http: [{ route: ${destinations(80, 20)} }] }`);

describe("the fields that changed", () => {
  test.each([
    ["nothing", base, []],
    [
      "two weights",
      route(`{ hosts: [a], http: [{ route: ${destinations(70, 30)} }] }`),
      ["spec.http[0].route[0].weight", "spec.http[0].route[1].weight"],
    ],
    [
      "a list of another length",
      route(`{ hosts: [a, b], http: [{ route: ${destinations(80, 20)} }] }`),
      ["spec.hosts"],
    ],
    [
      "a label",
      route(`{ hosts: [a], http: [{ route: ${destinations(80, 20)} }] }`, "labels: { team: red }"),
      ["metadata.labels.team"],
    ],
    [
      "a field that was not there",
      route(`{ hosts: [a], http: [{ route: ${destinations(80, 20)}, timeout: 1s }] }`),
      ["spec.http[0].timeout"],
    ],
  ])("are named: %s", (_, after, expected) => {
    expect(changedFields(base, after)).toEqual(expected);
  });

  test("are at most ten, and the number of the others", () => {
    const labels = Array.from({ length: 14 }, (_, index) => `l${index}: x`).join(", ");
    const changed = changedFields(base, {
      ...base,
      labels: route("{ hosts: [a], http: [{ route: [{ destination: { host: a } }] }] }", `labels: { ${labels} }`)
        .labels,
    });
    expect(changed).toHaveLength(11);
    expect(changed.at(-1)).toBe("and 4 more");
  });
});
