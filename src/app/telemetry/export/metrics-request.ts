import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from "prom-client";
import {
  ExportMetricsServiceRequestSchema,
  ExportMetricsServiceResponseSchema,
} from "#gen/opentelemetry/proto/collector/metrics/v1/metrics_service_pb.js";
import {
  AggregationTemporality,
  GaugeSchema,
  type HistogramDataPoint,
  HistogramDataPointSchema,
  HistogramSchema,
  type Metric,
  MetricSchema,
  type NumberDataPoint,
  NumberDataPointSchema,
  SumSchema,
} from "#gen/opentelemetry/proto/metrics/v1/metrics_pb.js";
import { keyValues, resourceOf, unixNanos } from "./key-values.ts";
import type { ReadAnswer } from "./otlp-client.ts";
import type { Sender } from "./trace-request.ts";

type Read = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;
type ReadMetric = MetricObjectWithValues<MetricValue<string>>;

/** All values at one moment. */
export interface MetricsReading {
  readonly metrics: readonly Metric[];
  readonly dataPoints: number;
}

interface Period {
  readonly startTimeUnixNano: bigint;
  readonly timeUnixNano: bigint;
}

/** Everything that `/metrics` shows, under the same names. Sums and histograms count from the start of the process. */
export function readingOf(read: Read, startedAtMs: number, nowMs: number): MetricsReading {
  const period = { startTimeUnixNano: unixNanos(startedAtMs), timeUnixNano: unixNanos(nowMs) };
  const metrics = read.flatMap((metric) => metricOf(metric, period) ?? []);
  const dataPoints = metrics.reduce((sum, { data }) => sum + (data.value?.dataPoints.length ?? 0), 0);
  return { metrics, dataPoints };
}

export function metricsRequest({ metrics }: MetricsReading, { resource, version }: Sender) {
  const scopeMetrics = [{ scope: { name: "binnacle", version }, metrics: [...metrics] }];
  const request = create(ExportMetricsServiceRequestSchema, {
    resourceMetrics: [{ resource: resourceOf(resource), scopeMetrics }],
  });
  return toBinary(ExportMetricsServiceRequestSchema, request);
}

export const readMetricsAnswer: ReadAnswer = (answer) => {
  const { partialSuccess } = fromBinary(ExportMetricsServiceResponseSchema, answer);
  return { rejected: Number(partialSuccess?.rejectedDataPoints ?? 0), reason: partialSuccess?.errorMessage ?? "" };
};

const cumulative = AggregationTemporality.CUMULATIVE;

/** Undefined without values. The registry has no summaries. */
function metricOf(metric: ReadMetric, period: Period): Metric | undefined {
  const { name, help: description, values } = metric;
  if (values.length === 0) return undefined;
  switch (typeOf(metric)) {
    case "counter": {
      const value = create(SumSchema, {
        dataPoints: values.map((each) => numberPoint(each, period)),
        aggregationTemporality: cumulative,
        isMonotonic: true,
      });
      return create(MetricSchema, { name, description, data: { case: "sum", value } });
    }
    case "gauge": {
      const value = create(GaugeSchema, { dataPoints: values.map((each) => numberPoint(each, period)) });
      return create(MetricSchema, { name, description, data: { case: "gauge", value } });
    }
    case "histogram": {
      // The values of a histogram have names: NAME_bucket, NAME_sum and NAME_count.
      const dataPoints = histogramPoints(values, name, period);
      const value = create(HistogramSchema, { dataPoints, aggregationTemporality: cumulative });
      return create(MetricSchema, { name, description, data: { case: "histogram", value } });
    }
    default:
      return undefined;
  }
}

/** The library declares a number, and gives a text. */
function typeOf({ type }: ReadMetric): string {
  return String(type);
}

function numberPoint({ labels, value }: MetricValue<string>, period: Period): NumberDataPoint {
  const attributes = keyValues(textsOf(labels));
  const point = Number.isSafeInteger(value)
    ? ({ case: "asInt", value: BigInt(value) } as const)
    : ({ case: "asDouble", value } as const);
  return create(NumberDataPointSchema, { attributes, ...period, value: point });
}

/** Prometheus counts all smaller values in each bucket, OTLP only those of the bucket. */
function histogramPoints(
  values: readonly MetricValueWithName<string>[],
  name: string,
  period: Period,
): HistogramDataPoint[] {
  const byLabels = Map.groupBy(values, ({ labels }) => JSON.stringify(withoutBound(labels)));
  return Array.from(byLabels.values(), (own) => {
    const valueOf = (suffix: string) => own.find(({ metricName }) => metricName === name + suffix)?.value ?? 0;
    const buckets = own.filter(({ metricName }) => metricName === `${name}_bucket`);
    return create(HistogramDataPointSchema, {
      attributes: keyValues(textsOf(withoutBound(own[0]?.labels ?? {}))),
      ...period,
      count: BigInt(valueOf("_count")),
      sum: valueOf("_sum"),
      bucketCounts: buckets.map(({ value }, index) => BigInt(value - (buckets[index - 1]?.value ?? 0))),
      explicitBounds: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
    });
  });
}

/** The bound of a bucket is a label in Prometheus. */
function withoutBound(labels: MetricValue<string>["labels"]): MetricValue<string>["labels"] {
  const { le: _, ...others } = labels;
  return others;
}

function textsOf(labels: Readonly<Record<string, string | number | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}
