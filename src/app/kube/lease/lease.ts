/** Who writes, and since when. Times are texts: they are for people, nobody compares them with a clock of its own. */
export interface LeaseRecord {
  /** Empty when it was given back. */
  readonly holder: string;
  /** How long after a renewal others have to leave it alone. */
  readonly durationMs: number;
  readonly acquiredAt: string;
  readonly renewedAt: string;
  /** How often the holder changed. */
  readonly transitions: number;
}

/** A record as it is stored; `version` changes with every write. */
export interface StoredLease extends LeaseRecord {
  readonly version: string;
}

/** Where candidates meet. Writes are conditional, so of two that saw the same record one succeeds. */
export interface LeaseStore {
  /** Undefined when there is none. */
  read(): Promise<StoredLease | undefined>;
  /** In place of the version that was read, or where there was none; false when somebody else was quicker. */
  write(record: LeaseRecord, replaced: string | undefined): Promise<boolean>;
}
