import { FleetNotes, withNotes } from "../../../src/app/history/fleet-notes.ts";
import { HistoryRecorder } from "../../../src/app/history/history-recorder.ts";
import { openHistory } from "../../../src/app/history/segment-store.ts";
import type { Config } from "../../../src/config/config.ts";
import type { History } from "../../../src/history/history.ts";
import type { RetentionLimits } from "../../../src/history/retention.ts";
import type { XdsObserver } from "../../../src/pilot/xds/observer.ts";
import { MemorySegments } from "../../../src/testing/history/memory-segments.ts";
import { defaultSettings } from "../../../src/testing/history/written-segment.ts";
import type { ScenarioMesh } from "../../../src/testing/mesh/scenario-mesh.ts";
import { RecordingLogger } from "../../../src/testing/recording/recording-logger.ts";

const unlimited: RetentionLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxAgeMs: Number.MAX_SAFE_INTEGER };

interface Given {
  readonly store?: MemorySegments;
  readonly limits?: RetentionLimits;
  readonly maxPending?: number;
  readonly minSegmentBytes?: number;
}

/** The history of a mesh in memory. Its clock is that of the mesh. */
export class RecordedHistory {
  readonly store: MemorySegments;
  readonly recorder: HistoryRecorder;
  readonly failures: unknown[] = [];
  readonly logger = new RecordingLogger();
  readonly notes: FleetNotes;
  readonly #mesh: ScenarioMesh;
  static #names = 0;

  constructor(mesh: ScenarioMesh, { store = new MemorySegments(), limits = unlimited, ...more }: Given = {}) {
    this.#mesh = mesh;
    this.store = store;
    this.recorder = new HistoryRecorder({
      store,
      united: mesh.united,
      settings: defaultSettings,
      limits,
      clock: mesh.clock,
      turn: () => Promise.resolve(),
      timeOfDay: () => this.now,
      random: () => (RecordedHistory.#names++).toString(16).padStart(8, "0"),
      logger: this.logger,
      onFailure: (error) => this.failures.push(error),
      onProxiesLost: () => this.notes.reset(),
      ...more,
    });
    this.notes = new FleetNotes({ clock: mesh.clock, timeOfDay: () => this.now, recorder: this.recorder });
    this.notes.attach(mesh.discovery);
    mesh.onRequest(({ commits = [] }) => this.notes.positions.requested(commits));
    // The observer is an object of a class, which a copy would lose the methods of.
    const { observer } = mesh;
    const plain = { pushStarted: observer.pushStarted.bind(observer) } as XdsObserver;
    Object.assign(observer, withNotes(plain, this.notes));
    mesh.onGalleyCommit((commit) => {
      this.notes.positions.committed(commit.sequence);
      this.recorder.committed(commit);
    });
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return 1_700_000_000_000 + this.#mesh.clock.now();
  }

  history(): Promise<History> {
    return openHistory(this.store);
  }
}

/** The objects of all sources, with what the log promises to keep of them. */
export function objectsOf(mesh: Pick<ScenarioMesh, "united">): readonly string[] {
  return Array.from(mesh.united, ([collection, objects]) =>
    Array.from(objects.entries(), ([key, config]) => objectText(collection, key, config)),
  )
    .flat()
    .toSorted();
}

export function objectText(collection: string, key: string, { version, apiVersion, createdAt }: Config): string {
  return JSON.stringify([collection, key, version, apiVersion, createdAt]);
}
