import { KubeSourceMetrics } from "./kube-source-metrics.ts";
import type { Metrics } from "./metrics.ts";

/** 0, 1, 2, 4, … up to a power of two. */
function doubling(last: number): number[] {
  return [0, ...Array.from({ length: Math.log2(last) + 1 }, (_, power) => 2 ** power)];
}

const milliseconds = doubling(8_388_608);
const events = doubling(256);

/** Metrics from sources to snapshots, under Galley's names. */
export class GalleyMetrics {
  readonly changes;
  readonly timerResets;
  readonly quiescePublishes;
  readonly maxTimePublishes;
  readonly events;
  readonly eventSpan;
  readonly snapshots;
  readonly snapshotEvents;
  readonly snapshotLifetime;
  readonly kube;

  constructor(metrics: Metrics) {
    const strategy = "galley_runtime_strategy";
    this.changes = metrics.counter(`${strategy}_on_change_total`, "Changes that reached a publishing strategy.");
    this.timerResets = metrics.counter(
      `${strategy}_timer_resets_total`,
      "Changes that restarted the debounce timer of a strategy.",
    );
    this.quiescePublishes = metrics.counter(
      `${strategy}_timer_quiesce_reached_total`,
      "Snapshots published after a quiet period.",
    );
    this.maxTimePublishes = metrics.counter(
      `${strategy}_timer_max_time_reached_total`,
      "Snapshots published because a change had waited for the maximum time.",
    );
    const processor = "galley_runtime_processor";
    this.events = metrics.counter(`${processor}_events_processed_total`, "Events received from sources.");
    this.eventSpan = metrics.histogram(
      `${processor}_event_span_duration_milliseconds`,
      "Time between two events.",
      milliseconds,
    );
    this.snapshots = metrics.counter(`${processor}_snapshots_published_total`, "Snapshots published.");
    this.snapshotEvents = metrics.histogram(
      `${processor}_snapshot_events_total`,
      "Events between two snapshots of a group.",
      events,
    );
    this.snapshotLifetime = metrics.histogram(
      `${processor}_snapshot_lifetime_duration_milliseconds`,
      "Time between two snapshots of a group.",
      milliseconds,
    );
    this.kube = new KubeSourceMetrics(metrics);
  }
}
