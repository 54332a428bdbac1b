/** A key with its value, the revision that wrote it, and the revision that created the key. */
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

/** All keys from `key` on that are before `end`. */
export interface KeyRange {
  readonly key: Uint8Array;
  readonly end: Uint8Array;
}
