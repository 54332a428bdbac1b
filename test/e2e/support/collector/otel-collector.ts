import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerPath } from "../../../../scripts/peer.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";
import { freePort } from "../free-port.ts";
import { get } from "../http.ts";

/** An attribute in OTLP's JSON. */
interface JsonAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string;
    readonly boolValue?: boolean;
    readonly doubleValue?: number;
    readonly arrayValue?: { readonly values?: readonly { readonly stringValue?: string }[] };
  };
}

/** A span in OTLP's JSON. Times are texts of nanoseconds. */
interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly JsonAttribute[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

interface JsonPoint {
  readonly attributes?: readonly JsonAttribute[];
  readonly asInt?: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

interface JsonPoints {
  readonly dataPoints: readonly JsonPoint[];
}

interface JsonMetric {
  readonly name: string;
  readonly sum?: JsonPoints & { readonly isMonotonic?: boolean; readonly aggregationTemporality: number };
  readonly gauge?: JsonPoints;
  readonly histogram?: JsonPoints & { readonly aggregationTemporality: number };
}

interface JsonExport {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly JsonAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly resource: { readonly attributes: readonly JsonAttribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly JsonMetric[] }[];
  }[];
}

/** A span as the collector wrote it. */
export interface ReceivedSpan extends Omit<JsonSpan, "attributes"> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A real collector of OpenTelemetry that writes everything to a file. */
export class OtelCollector implements AsyncDisposable {
  readonly #child: Child;
  readonly #folder: string;
  readonly endpoint: string;

  private constructor(child: Child, folder: string, endpoint: string) {
    this.#child = child;
    this.#folder = folder;
    this.endpoint = endpoint;
  }

  static async start(): Promise<OtelCollector> {
    const folder = mkdtempSync(join(tmpdir(), "binnacle-collector-"));
    const port = await freePort();
    writeFileSync(
      join(folder, "config.yaml"),
      `receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
exporters: { lines: { path: "${folder}/received" } }
service:
  telemetry: { metrics: { level: none } }
  pipelines:
    traces: { receivers: [otlp], exporters: [lines] }
    metrics: { receivers: [otlp], exporters: [lines] }
`,
    );
    const child = new Child(await peerPath("otel-collector"), ["--config", join(folder, "config.yaml")]);
    // It has no page at this path, and says so.
    const isUp = async () => (await get(port, "/")).status === 404;
    await eventually("the collector listens", isUp, { seconds: 20 }).catch((cause: unknown) => {
      throw new Error(`no collector:\n${child.log()}`, { cause });
    });
    return new OtelCollector(child, folder, `http://127.0.0.1:${port}`);
  }

  /** All spans so far. */
  spans(): readonly ReceivedSpan[] {
    return this.#exports().flatMap(({ resourceSpans = [] }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map(({ attributes = [], ...span }) => ({
            ...span,
            attributes: valuesOf(attributes),
            resource: valuesOf(resource.attributes),
          })),
        ),
      ),
    );
  }

  /** The metrics of the last export of a service. */
  metrics(service = "binnacle"): readonly JsonMetric[] {
    const all = this.#exports().flatMap(({ resourceMetrics = [] }) => resourceMetrics);
    const last = all.findLast(({ resource }) => valuesOf(resource.attributes)["service.name"] === service);
    return last?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
  }

  /** The series of the last export, as `/metrics` has them: by name and sorted labels. */
  series(): ReadonlyMap<string, number> {
    return new Map(this.metrics().flatMap(seriesOf));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #exports(): readonly JsonExport[] {
    const lines = readFileSync(join(this.#folder, "received"), "utf8").split("\n");
    // The last one may be half written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as JsonExport);
  }
}

function valuesOf(attributes: readonly JsonAttribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf({ intValue, arrayValue, ...value }: JsonAttribute["value"]): unknown {
  if (intValue !== undefined) return Number(intValue);
  if (arrayValue !== undefined) return (arrayValue.values ?? []).map(({ stringValue }) => stringValue);
  return Object.values(value)[0];
}

/** A series of Prometheus: its name with sorted labels. */
export function seriesName(name: string, labels: Readonly<Record<string, unknown>>): string {
  const sorted = Object.keys(labels).toSorted();
  return `${name}{${sorted.map((label) => `${label}=${JSON.stringify(labels[label])}`).join()}}`;
}

function seriesOf({ name, sum, gauge, histogram }: JsonMetric): readonly (readonly [string, number])[] {
  const plain = (sum ?? gauge)?.dataPoints ?? [];
  return [
    ...plain.map(({ attributes = [], asInt, asDouble = 0 }) => {
      return [seriesName(name, valuesOf(attributes)), Number(asInt ?? asDouble)] as const;
    }),
    ...(histogram?.dataPoints ?? []).flatMap((point) => histogramSeries(name, point)),
  ];
}

/** Counts up the buckets, as Prometheus does. */
function histogramSeries(name: string, point: JsonPoint): readonly (readonly [string, number])[] {
  const { attributes = [], count = "0", sum = 0, bucketCounts = [], explicitBounds = [] } = point;
  const labels = valuesOf(attributes);
  let total = 0;
  const buckets = bucketCounts.map((own, index) => {
    total += Number(own);
    return [seriesName(`${name}_bucket`, { ...labels, le: String(explicitBounds[index] ?? "+Inf") }), total] as const;
  });
  return [...buckets, [seriesName(`${name}_count`, labels), Number(count)], [seriesName(`${name}_sum`, labels), sum]];
}
