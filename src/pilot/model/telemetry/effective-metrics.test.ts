import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { fakeTelemetry } from "../../../testing/model/fake-telemetry.ts";
import type { WorkloadMode } from "../policy/telemetry.ts";
import { effectiveMetrics } from "./effective-metrics.ts";

function metricsOf(
  levels: readonly (readonly JsonObject[])[],
  mode: WorkloadMode = "client",
  defaults: readonly string[] = ["prometheus"],
) {
  const telemetries = levels.map((metrics) => fakeTelemetry({ metrics: [...metrics] }));
  return effectiveMetrics(telemetries, defaults, mode);
}

function overriding(...overrides: readonly JsonObject[]): JsonObject {
  return { overrides: [...overrides] };
}

function named(...names: readonly string[]): JsonObject {
  return { providers: names.map((name) => ({ name })) };
}

const silent = { disabled: true };
const plain = [{ provider: "prometheus", reportingInterval: undefined, metrics: [] }];
const count = { metric: "REQUEST_COUNT" };

test("the default providers report everything without Telemetry", () => {
  expect(metricsOf([])).toEqual(plain);
  expect(metricsOf([[]])).toEqual(plain);
  expect(metricsOf([], "client", [])).toEqual([]);
});

test("the last rule that names providers decides which report, sorted by name", () => {
  expect(metricsOf([[named("z", "a")]]).map(({ provider }) => provider)).toEqual(["a", "z"]);
  expect(metricsOf([[named("a")], [named("b")], [{}]]).map(({ provider }) => provider)).toEqual(["b"]);
});

test("disabling all metrics of a side removes its provider, until a later rule concerns them", () => {
  expect(metricsOf([[overriding(silent)]])).toEqual([]);
  expect(metricsOf([[overriding({ ...silent, match: { mode: "SERVER" } })]])).toEqual(plain);
  expect(metricsOf([[overriding({ ...silent, match: { mode: "SERVER" } })]], "server")).toEqual([]);
  const again = overriding({ match: count, disabled: false });
  expect(metricsOf([[overriding(silent)], [again]])).toEqual([
    {
      provider: "prometheus",
      reportingInterval: undefined,
      metrics: [{ name: "REQUEST_COUNT", dropped: false, tags: [] }],
    },
  ]);
});

test("one metric may be dropped, and its tags set or removed; later overrides add to earlier ones", () => {
  const first = overriding({
    match: count,
    tagOverrides: { a: { value: "request.host" }, b: { operation: "REMOVE" } },
  });
  const second = overriding({ match: count, tagOverrides: { b: { value: "'b'" }, c: { operation: "REMOVE" } } });
  expect(metricsOf([[first], [second, overriding({ match: { customMetric: "mine" }, disabled: true })]])).toMatchObject(
    [
      {
        metrics: [
          {
            name: "REQUEST_COUNT",
            dropped: false,
            tags: [
              ["a", "request.host"],
              ["b", "'b'"],
              ["c", undefined],
            ],
          },
          { name: "mine", dropped: true, tags: [] },
        ],
      },
    ],
  );
});

test("an override for all metrics changes each of Istio's ten", () => {
  const [first] = metricsOf([[overriding({ tagOverrides: { a: { operation: "REMOVE" } } })]]);
  const metrics = first?.metrics ?? [];
  expect(metrics).toHaveLength(10);
  expect(new Set(metrics.map(({ tags }) => JSON.stringify(tags)))).toEqual(
    new Set([JSON.stringify([["a", undefined]])]),
  );
});

test("the last reporting interval counts", () => {
  expect(metricsOf([[{ reportingInterval: "5s" }], [{ reportingInterval: "9s" }], [{}]])).toMatchObject([
    { reportingInterval: { seconds: 9n, nanos: 0 } },
  ]);
});
