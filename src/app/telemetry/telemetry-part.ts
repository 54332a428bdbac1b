import type { Commit } from "../../collection/collection.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import { otlpCounters } from "../gauges/otlp-counters.ts";
import type { ProcessContext, ProcessPart } from "../parts/process-part.ts";
import { component } from "../process/lifecycle.ts";
import { otlpSettingsOf } from "./otlp-settings.ts";
import type { ChangeTracer } from "./trace/change-tracer.ts";
import type { Telemetry, TraceSources } from "./telemetry.ts";

const name = "telemetry";

/**
 * Traces and metrics by OTLP. Everything behind it is loaded when it starts, so that a server without it loads nothing.
 * No push waits for it.
 */
export class TelemetryPart {
  readonly part: ProcessPart;
  #telemetry: Telemetry | undefined;

  constructor(load: () => Promise<Telemetry>) {
    const start = async () => {
      this.#telemetry = await load();
      this.#telemetry.start();
    };
    const stop = () => this.#telemetry?.stop();
    this.part = { components: [component(name, { start, stop })], emitter: { name, awaited: () => [] } };
  }

  /** Undefined before the start. */
  get tracer(): ChangeTracer | undefined {
    return this.#telemetry?.tracer;
  }

  /** A commit of Pilot's graph, which the journal has recorded. */
  committed({ sequence }: Pick<Commit, "sequence">): void {
    this.tracer?.committed(sequence);
  }

  /** The observer, which the journal is part of, and the traces after it. */
  observing(observer: XdsObserver, supervisor: ProcessContext["supervisor"]): XdsObserver {
    const traces = supervisor.guardAll(name, this.#traceObserver());
    return {
      ...observer,
      pushStarted(push) {
        observer.pushStarted(push);
        traces.pushStarted(push);
      },
      pushFailed(cause) {
        observer.pushFailed(cause);
        traces.pushFailed(cause);
      },
      responseSent(response) {
        observer.responseSent(response);
        traces.responseSent(response);
      },
      rejected(type, node, reason, subscription, pushes) {
        observer.rejected(type, node, reason, subscription, pushes);
        traces.rejected(type, node, reason, subscription, pushes);
      },
      pushesEnded(node, pushes, how) {
        observer.pushesEnded?.(node, pushes, how);
        traces.pushesEnded(node, pushes, how);
      },
    };
  }

  #traceObserver(): Pick<XdsObserver, "pushStarted" | "pushFailed" | "responseSent" | "rejected"> &
    Required<Pick<XdsObserver, "pushesEnded">> {
    return {
      pushStarted: (push) => this.tracer?.pushStarted(push),
      pushFailed: (cause) => this.tracer?.pushFailed(cause),
      responseSent: (response) => this.tracer?.responseSent(response),
      rejected: (type, _node, _reason, _subscription, pushes = []) => this.tracer?.rejected(type, pushes),
      pushesEnded: (node, pushes, how) => this.tracer?.pushesEnded(node, pushes, how),
    };
  }
}

/** Undefined if it is off. Throws `bad-option`. */
export function telemetryOf(
  context: ProcessContext,
  sources: () => TraceSources | undefined,
): TelemetryPart | undefined {
  const settings = otlpSettingsOf(context.options, context.version);
  if (settings === undefined) return undefined;
  const counters = otlpCounters(context.metrics);
  return new TelemetryPart(async () => {
    const { Telemetry } = await import("./telemetry.ts");
    return new Telemetry(context, settings, sources(), counters);
  });
}

/** The observer of the discovery server: with traces, if telemetry is on. */
export function tracedBy(
  telemetry: TelemetryPart | undefined,
  observer: XdsObserver,
  supervisor: ProcessContext["supervisor"],
): XdsObserver {
  return telemetry === undefined ? observer : telemetry.observing(observer, supervisor);
}
