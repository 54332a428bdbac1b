/** The holder and its times. Times are texts for people; no process compares them with its own clock. */
export interface LeaseRecord {
  /** Empty after a release. */
  readonly holder: string;
  /** Time after a renewal in which other candidates must not take the lease. */
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

/** The store of the lease. Writes are conditional: of two candidates that saw the same record, one succeeds. */
export interface LeaseStore {
  /** Undefined when there is none. */
  read(): Promise<StoredLease | undefined>;
  /** Replaces the version that was read, or creates the record. Returns false if another candidate was faster. */
  write(record: LeaseRecord, replaced: string | undefined): Promise<boolean>;
}
