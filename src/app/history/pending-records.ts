import type { ConfigChange } from "../../history/segment-writer.ts";
import type { FleetSample } from "./fleet-sampler.ts";

/** The objects that one commit changed. */
interface CommittedChanges {
  readonly type: "objects";
  readonly at: number;
  /** Of the commit. */
  readonly sequence: number;
  readonly changes: readonly ConfigChange[];
}

/** A change among the proxies. */
interface SampledChange {
  readonly type: "proxies";
  readonly sample: FleetSample;
}

export type PendingRecord = CommittedChanges | SampledChange;

/** Records that the log has not written so far, in order. */
export class PendingRecords {
  readonly #most: number;
  #records: PendingRecord[] = [];
  #changes = 0;

  /** `most` objects and proxies may wait. */
  constructor(most: number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0;
  }

  get isOverfull(): boolean {
    return this.#changes > this.#most;
  }

  add(record: PendingRecord): void {
    this.#records.push(record);
    this.#changes += record.type === "objects" ? record.changes.length : sizeOf(record.sample);
  }

  take(): readonly PendingRecord[] {
    const records = this.#records;
    this.#records = [];
    this.#changes = 0;
    return records;
  }
}

function sizeOf({ came, gone, behind, current }: FleetSample): number {
  return 1 + came.length + gone.length + behind.length + current.length;
}
