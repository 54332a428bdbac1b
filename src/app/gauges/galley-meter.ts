import type { GalleyMetrics } from "../../admin/metrics/galley-metrics.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import type { Distributor } from "../../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import type { StrategyObserver } from "../../galley/snapshotter/strategy.ts";
import type { Source } from "../../galley/source/source.ts";
import type { Supervisor } from "../../lib/supervisor.ts";
import type { Clock } from "../../lib/time/clock.ts";

/** What was the case when a group was last published. */
interface Publication {
  readonly events: number;
  readonly at: number;
}

/** Stands beside Galley's road and counts what passes: events, changes, snapshots. */
export class GalleyMeter implements Distributor, StrategyObserver {
  readonly #metrics: GalleyMetrics;
  readonly #clock: Clock;
  readonly #supervisor: Supervisor;
  readonly #published = new Map<SnapshotGroup, Publication>();
  #events = 0;
  #lastEventAt: number | undefined;

  constructor(metrics: GalleyMetrics, clock: Clock, supervisor: Supervisor) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#supervisor = supervisor;
  }

  /** The same source, whose events are counted. */
  metered(source: Source): Source {
    return {
      name: source.name,
      collections: source.collections,
      start: (handler) =>
        source.start((events) => {
          this.#supervisor.run("galley meter", () => this.#count(events.length));
          handler(events);
        }),
      stop: () => source.stop(),
      idle: () => source.idle(),
    };
  }

  distribute(snapshot: Snapshot): void {
    this.#supervisor.run("galley meter", () => this.#countSnapshot(snapshot));
  }

  #countSnapshot({ group }: Snapshot): void {
    const { snapshots, snapshotEvents, snapshotLifetime } = this.#metrics;
    const last = this.#published.get(group);
    const now = this.#clock.now();
    snapshots.inc();
    snapshotEvents.observe(this.#events - (last?.events ?? 0));
    if (last !== undefined) snapshotLifetime.observe(now - last.at);
    this.#published.set(group, { events: this.#events, at: now });
  }

  changed(): void {
    this.#supervisor.run("galley meter", () => this.#metrics.changes.inc());
  }

  waitsAnew(): void {
    this.#supervisor.run("galley meter", () => this.#metrics.timerResets.inc());
  }

  due(reason: "quiet" | "maxWait"): void {
    const { quiescePublishes, maxTimePublishes } = this.#metrics;
    this.#supervisor.run("galley meter", () => (reason === "quiet" ? quiescePublishes : maxTimePublishes).inc());
  }

  /** Events that came together. */
  #count(events: number): void {
    const now = this.#clock.now();
    this.#events += events;
    this.#metrics.events.inc(events);
    for (let event = 0; event < events; event += 1) {
      if (this.#lastEventAt !== undefined) this.#metrics.eventSpan.observe(now - this.#lastEventAt);
      this.#lastEventAt = now;
    }
  }
}
