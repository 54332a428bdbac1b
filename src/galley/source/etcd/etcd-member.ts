/** A key below the prefix, what it holds, the revision that wrote it, and the one since which the key has been there. */
export interface EtcdEntry {
  readonly key: string;
  readonly value: Buffer;
  readonly revision: number;
  readonly since: number;
}

/** What a transaction did to a key. */
export type EtcdChange =
  | ({ readonly type: "put" } & EtcdEntry)
  | { readonly type: "delete"; readonly key: string; readonly revision: number };

/** A moment of one store. Another store, made from a backup or from nothing, has another id and other revisions. */
export interface EtcdPosition {
  readonly cluster: string;
  readonly revision: number;
}

/** What a watch says. */
export type WatchStep =
  /** It is up; the store was here then. */
  | { readonly type: "created"; readonly position: EtcdPosition }
  /** Whole transactions, in order. */
  | { readonly type: "changes"; readonly changes: readonly EtcdChange[] }
  /** Everything up to here has been said. */
  | { readonly type: "progress"; readonly revision: number }
  /** What happened after the revision asked for is forgotten: the store was compacted. */
  | { readonly type: "compacted" };

/** Throws while it is read when it is cancelled, or failed. */
export interface EtcdWatch extends AsyncIterable<WatchStep>, Disposable {
  /** Asks for a `progress` as soon as all has been said. A server that is behind drops the question: ask again. */
  askProgress(): void;
  /** Ends it: whoever reads it gets this error. */
  fail(reason: Error): void;
}

export interface EtcdPage {
  readonly entries: readonly EtcdEntry[];
  readonly position: EtcdPosition;
}

/**
 * One server of an etcd cluster, as far as a source needs it: the keys below a prefix. Every call fails when there is
 * no answer in time.
 */
export interface EtcdMember extends Disposable {
  /** Where the store is now, by the word of the majority: a server that has lost the others has no answer. */
  position(): Promise<EtcdPosition>;
  /** Everything there is as of one position, page by page; there is at least one. */
  pages(): AsyncIterable<EtcdPage>;
  /** What happens from this revision on. */
  watch(from: number): Promise<EtcdWatch>;
}
