import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ExportMetricsServiceRequestSchema } from "#gen/opentelemetry/proto/collector/metrics/v1/metrics_service_pb.js";
import { Metrics } from "../../../admin/metrics/metrics.ts";
import { metricsRequest, readingOf } from "./metrics-request.ts";

async function sent(metrics: Metrics) {
  const reading = readingOf(await metrics.registry.getMetricsAsJSON(), 1_000, 2_000.5);
  const bytes = metricsRequest(reading, { resource: { "service.name": "binnacle" }, version: "1" });
  const { resourceMetrics } = fromBinary(ExportMetricsServiceRequestSchema, bytes);
  const all = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return { reading, find: (name: string) => all.find((metric) => metric.name === name)?.data, all };
}

test("a counter is a sum since the start, and a gauge a value of now", async () => {
  const metrics = new Metrics();
  metrics.counter("pushes", "Pushes.", "type").inc({ type: "cds" }, 3);
  metrics.gauge("load", "Load.", () => 0.5);
  const { find } = await sent(metrics);
  expect(find("pushes")).toMatchObject({
    case: "sum",
    value: {
      isMonotonic: true,
      aggregationTemporality: 2,
      dataPoints: [
        {
          startTimeUnixNano: 1_000_000_000n,
          timeUnixNano: 2_000_500_000n,
          value: { case: "asInt", value: 3n },
          attributes: [{ key: "type", value: { value: { case: "stringValue", value: "cds" } } }],
        },
      ],
    },
  });
  expect(find("load")).toMatchObject({
    case: "gauge",
    value: { dataPoints: [{ value: { case: "asDouble", value: 0.5 } }] },
  });
});

test("a bucket of a histogram has only its own values", async () => {
  const metrics = new Metrics();
  const times = metrics.histogram("times", "Times.", [1, 5], "type");
  for (const value of [0.5, 1, 3, 9, 9]) times.observe({ type: "cds" }, value);
  times.observe({ type: "eds" }, 2);
  const data = (await sent(metrics)).find("times");
  expect(data).toMatchObject({
    case: "histogram",
    value: {
      aggregationTemporality: 2,
      dataPoints: [
        { count: 5n, sum: 22.5, bucketCounts: [2n, 1n, 2n], explicitBounds: [1, 5] },
        { count: 1n, sum: 2, bucketCounts: [0n, 1n, 0n] },
      ],
    },
  });
});

test("every metric of the registry with a value is sent, those of the process included", async () => {
  const metrics = new Metrics();
  const { all, reading } = await sent(metrics);
  const read = await metrics.registry.getMetricsAsJSON();
  const names = read.filter(({ values }) => values.length > 0).map(({ name }) => name);
  expect(names).toContain("process_resident_memory_bytes");
  expect(all.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(reading.dataPoints).toBeGreaterThanOrEqual(names.length);
});
