import { randomBytes } from "node:crypto";
import type { ConfigId, Origin } from "../../config/config.ts";
import { limitsOf } from "../../lib/bounded/limit.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { OtlpCounters } from "../gauges/otlp-counters.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { ExportLog } from "./export/export-log.ts";
import { ExportQueue, type ExportQueueOptions } from "./export/export-queue.ts";
import { type MetricsReading, metricsRequest, readingOf, readMetricsAnswer } from "./export/metrics-request.ts";
import { type Outcome, postOtlp, type ReadAnswer } from "./export/otlp-client.ts";
import { readTraceAnswer, traceRequest } from "./export/trace-request.ts";
import { otlpLimits } from "./otlp-limits.ts";
import type { OtlpSettings } from "./otlp-settings.ts";
import { ChangeTracer, type ChangeTracerOptions, type Traced } from "./trace/change-tracer.ts";
import { editTimeOf } from "./trace/edit-time.ts";
import type { FinishedSpan } from "./trace/span.ts";
import { spansOf } from "./trace/spans-of-push.ts";

const part = "telemetry";

/** Where the traces of changes come from. Galley alone has none. */
export interface TraceSources extends Pick<ChangeTracerOptions, "journal" | "lastEventAt"> {
  readonly originOf: (id: ConfigId) => Origin | undefined;
}

/** How long the first span of a request waits for others. */
const collectMs = 1_000;
const limits = limitsOf(otlpLimits);

/** Sends traces and metrics to a collector. This file and those that it loads are only loaded when it is on. */
export class Telemetry {
  readonly tracer: ChangeTracer | undefined;
  readonly #context: ProcessContext;
  readonly #settings: OtlpSettings;
  readonly #clock;
  readonly #traces: ExportQueue<FinishedSpan>;
  readonly #metrics: ExportQueue<MetricsReading>;
  readonly #startedAtMs = Date.now() - process.uptime() * 1_000;
  readonly #building = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #cancel: Cancel | undefined;

  constructor(
    context: ProcessContext,
    settings: OtlpSettings,
    sources: TraceSources | undefined,
    counters: OtlpCounters,
  ) {
    const { supervisor, logs, version } = context;
    this.#context = context;
    this.#settings = settings;
    this.#clock = supervisor.clockFor(part);
    const sender = { resource: settings.resource, version };
    const log = new ExportLog(logs.logger("server"), { endpoint: settings.endpoint });
    const shared = <Item>(signal: "traces" | "metrics", read: ReadAnswer, encode: Encode<Item>) => ({
      clock: this.#clock,
      attempts: limits.attempts,
      send: (items: readonly Item[]) => this.#send(signal, read, () => encode(items)),
      onSent: supervisor.guard(part, (count: number) => counters.sent.inc({ signal }, count)),
      onDropped: supervisor.guard(part, (count: number) => counters.dropped.inc({ signal }, count)),
      onOutcome: supervisor.guard(part, (outcome: Outcome) => log.note(outcome)),
    });
    this.#traces = new ExportQueue<FinishedSpan>({
      ...shared("traces", readTraceAnswer, (spans) => traceRequest(spans, sender)),
      capacity: limits.waitingSpans,
      batch: limits.batchSpans,
      delayMs: collectMs,
      weightOf: () => 1,
    } satisfies ExportQueueOptions<FinishedSpan>);
    this.#metrics = new ExportQueue<MetricsReading>({
      ...shared("metrics", readMetricsAnswer, ([reading = { metrics: [], dataPoints: 0 }]) =>
        metricsRequest(reading, sender),
      ),
      capacity: 1,
      batch: 1,
      delayMs: 0,
      weightOf: ({ dataPoints }) => dataPoints,
    } satisfies ExportQueueOptions<MetricsReading>);
    this.tracer =
      sources &&
      new ChangeTracer({
        ...sources,
        clock: this.#clock,
        onComplete: supervisor.guard(part, (traced) => this.#addTrace(traced, sources)),
      });
  }

  start(): void {
    this.#cancel = this.#clock.after(this.#settings.metricsIntervalMs, () => {
      this.start();
      // Sums count from the start, so that a reading is no loss while the one before still waits for the collector.
      if (this.#metrics.waiting === 0) this.#run(this.#addMetrics());
    });
  }

  /** Sends what is there, within a bound. */
  async stop(): Promise<void> {
    this.#cancel?.();
    const cancel = this.#clock.after(limits.flushMs, () => this.#abort.abort());
    this.tracer?.flush();
    await Promise.all(this.#building);
    this.#run(this.#addMetrics());
    await Promise.all(this.#building);
    await Promise.all([this.#traces.flush(), this.#metrics.flush()]);
    cancel();
  }

  #addTrace(traced: Traced, { originOf }: TraceSources): void {
    this.#run(this.#buildTrace(traced, originOf));
  }

  async #buildTrace(traced: Traced, originOf: TraceSources["originOf"]): Promise<void> {
    const offsetMs = Date.now() - this.#clock.now();
    const changes = traced.type === "push" ? traced.trail.changes : [traced.traced];
    const times = new Map(
      await Promise.all(
        changes.map(async (each) => [each, await editTimeOf(each, (epochMs) => epochMs - offsetMs)] as const),
      ),
    );
    const spans = spansOf(traced, {
      newId: (bytes) => randomBytes(bytes).toString("hex"),
      epochMsOf: (clockMs) => clockMs + offsetMs,
      originOf,
      editedAt: (change) => times.get(change),
    });
    this.#traces.add(spans);
  }

  async #addMetrics(): Promise<void> {
    const read = await this.#context.metrics.registry.getMetricsAsJSON();
    this.#metrics.add([readingOf(read, this.#startedAtMs, Date.now())]);
  }

  async #send(
    signal: "traces" | "metrics",
    readAnswer: ReadAnswer,
    encode: () => Uint8Array<ArrayBuffer>,
  ): Promise<Outcome> {
    const { endpoint, headers, timeoutMs } = this.#settings;
    const client = { endpoint, headers, timeoutMs, maxAnswerBytes: limits.answerBytes };
    try {
      return await postOtlp({ signal, body: encode(), readAnswer }, client, this.#abort.signal);
    } catch (thrown) {
      this.#context.supervisor.failed(part, thrown);
      return { type: "refused", reason: "the request could not be built" };
    }
  }

  /** Remembers work until it is done, and reports its failure. */
  #run(work: Promise<void>): void {
    const reported = work
      .catch((thrown: unknown) => void this.#context.supervisor.failed(part, thrown))
      .finally(() => this.#building.delete(reported));
    this.#building.add(reported);
  }
}

type Encode<Item> = (items: readonly Item[]) => Uint8Array<ArrayBuffer>;
