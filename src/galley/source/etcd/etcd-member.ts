/** A key below the prefix with its value, the revision that wrote it, and the revision that created the key. */
export interface EtcdEntry {
  readonly key: string;
  readonly value: Buffer;
  readonly revision: number;
  readonly since: number;
}

/** The change of one key in a transaction. */
export type EtcdChange =
  | ({ readonly type: "put" } & EtcdEntry)
  | { readonly type: "delete"; readonly key: string; readonly revision: number };

/** A position in one store. Another store, restored from a backup or new, has another id and other revisions. */
export interface EtcdPosition {
  readonly cluster: string;
  readonly revision: number;
}

/** One message of a watch. */
export type WatchStep =
  /** The watch is created; `position` is the position of the store at that time. */
  | { readonly type: "created"; readonly position: EtcdPosition }
  /** The changes of whole transactions, in order. */
  | { readonly type: "changes"; readonly changes: readonly EtcdChange[] }
  /** Everything up to this revision has been reported. */
  | { readonly type: "progress"; readonly revision: number }
  /** The store was compacted: changes after the requested revision are no longer available. */
  | { readonly type: "compacted" };

/** Iteration throws when the watch is cancelled or fails. */
export interface EtcdWatch extends AsyncIterable<WatchStep>, Disposable {
  /**
   * Requests a `progress` message once everything has been reported. A server that lags behind drops the request, so
   * repeat it.
   */
  askProgress(): void;
  /** Ends the watch: its reader gets this error. */
  fail(reason: Error): void;
}

export interface EtcdPage {
  readonly entries: readonly EtcdEntry[];
  readonly position: EtcdPosition;
}

/**
 * One server of an etcd cluster, limited to the keys below a prefix. Every call fails if there is no answer in time.
 */
export interface EtcdMember extends Disposable {
  /** The current position, confirmed by the majority. A server that is cut off from the others gives no answer. */
  position(): Promise<EtcdPosition>;
  /** The key as of this revision. Undefined if it is missing, or if the store cannot show that revision. */
  read(key: string, revision: number): Promise<EtcdEntry | undefined>;
  /** All keys as of one position, page by page. There is at least one page. */
  pages(): AsyncIterable<EtcdPage>;
  /** Watches changes from this revision on. */
  watch(from: number): Promise<EtcdWatch>;
}
