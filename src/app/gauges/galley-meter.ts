import type { GalleyMetrics } from "../../admin/metrics/galley-metrics.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import type { Distributor } from "../../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import type { StrategyObserver } from "../../galley/snapshotter/strategy.ts";
import type { Source } from "../../galley/source/source.ts";
import type { Supervisor } from "../../lib/supervisor.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { SupervisedPart } from "../parts/supervised-parts.ts";
import { countKubeEvents, isKubeSource } from "./kube-source-meter.ts";

/** The state of a group at its last publication. */
interface Publication {
  readonly events: number;
  readonly at: number;
}

/**
 * Counts the events, changes and snapshots of Galley. The meter updates its own state before the metrics, so that the
 * next value is right even if the metrics failed or were paused.
 */
export class GalleyMeter implements Distributor, StrategyObserver {
  readonly #metrics: GalleyMetrics;
  readonly #clock: Clock;
  readonly #supervisor: Supervisor<SupervisedPart>;
  readonly #published = new Map<SnapshotGroup, Publication>();
  #events = 0;
  #lastEventAt: number | undefined;

  constructor(metrics: GalleyMetrics, clock: Clock, supervisor: Supervisor<SupervisedPart>) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#supervisor = supervisor;
  }

  /** In the clock's milliseconds; undefined before the first event. */
  get lastEventAt(): number | undefined {
    return this.#lastEventAt;
  }

  /** Wraps a source and counts its events. */
  metered(source: Source): Source {
    const isKube = isKubeSource(source);
    return {
      name: source.name,
      collections: source.collections,
      start: (handler) =>
        source.start((events) => {
          this.#count(events.length);
          if (isKube) this.#supervisor.run("galley meter", () => countKubeEvents(this.#metrics.kube, events));
          handler(events);
        }),
      stop: () => source.stop(),
      idle: () => source.idle(),
    };
  }

  distribute({ group }: Snapshot): void {
    const { snapshots, snapshotEvents, snapshotLifetime } = this.#metrics;
    const last = this.#published.get(group);
    const now = { events: this.#events, at: this.#clock.now() };
    this.#published.set(group, now);
    this.#supervisor.run("galley meter", () => {
      snapshots.inc();
      snapshotEvents.observe(now.events - (last?.events ?? 0));
      if (last !== undefined) snapshotLifetime.observe(now.at - last.at);
    });
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

  /** Counts events that arrive together. */
  #count(events: number): void {
    if (events === 0) return;
    const now = this.#clock.now();
    const last = this.#lastEventAt;
    this.#events += events;
    this.#lastEventAt = now;
    this.#supervisor.run("galley meter", () => {
      this.#metrics.events.inc(events);
      if (last !== undefined) this.#metrics.eventSpan.observe(now - last);
      for (let event = 1; event < events; event += 1) this.#metrics.eventSpan.observe(0);
    });
  }
}
