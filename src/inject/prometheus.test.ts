import { expect, test } from "vitest";
import { mergePrometheus } from "./prometheus.ts";

const merged = {
  "prometheus.io/port": "15020",
  "prometheus.io/path": "/stats/prometheus",
  "prometheus.io/scrape": "true",
};

test.each([
  [{}, undefined],
  [{ "prometheus.io/port": "9090" }, { scrape: "", path: "", port: "9090" }],
  [
    { "prometheus.io/scrape": "true", prometheus_io_path: "/m" },
    { scrape: "true", path: "/m", port: "" },
  ],
  [{ "prometheus.io/port": "65535" }, { scrape: "", path: "", port: "65535" }],
  [{ "prometheus.io.port": "81" }, { scrape: "", path: "", port: "81" }],
])("the agent scrapes the application of %j with %j", (annotations, target) => {
  const result = mergePrometheus({ ...annotations, other: "x" }, 15_020);
  expect(result?.annotations).toEqual({ ...merged, other: "x" });
  const env = target && [{ name: "ISTIO_PROMETHEUS_ANNOTATIONS", value: JSON.stringify(target) }];
  expect(result?.env).toEqual(env ?? []);
});

test.each([
  { "prometheus.io/scrape": "false" },
  { "prometheus.io/port": "15020" },
  ...[15_000, 15_001, 15_004, 15_006, 15_008, 15_021, 15_053, 15_090].map((port) => ({
    "prometheus.io/port": String(port),
  })),
  { "prometheus.io/port": "65536" },
  { "prometheus.io/port": "0" },
  { "prometheus.io/port": "eighty" },
  { "prometheus.io/port": "70000" },
])("%j stays as it is", (annotations) => {
  expect(mergePrometheus(annotations, 15_020)).toBeUndefined();
});
