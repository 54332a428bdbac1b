import type { Kind } from "../../config/kind.ts";
import type { ObjectId } from "./object-id.ts";

/** An object as it is written: apiVersion, kind, metadata, and the rest. */
export type ObjectFields = Readonly<Record<string, unknown>>;

/** An object in a store; its `metadata.resourceVersion` is the version it has there. */
export interface StoredObject {
  readonly id: ObjectId;
  readonly fields: ObjectFields;
  readonly version: string;
}

/** An object to write or to delete. */
export interface ObjectChange {
  readonly id: ObjectId;
  /** The version that the change may replace; undefined if it may replace any version. */
  readonly version: string | undefined;
}

export interface ObjectWrite extends ObjectChange {
  readonly fields: ObjectFields;
}

/** The result of a change, or of its dry run. */
export type Outcome = {
  readonly id: ObjectId;
} & (
  | { readonly type: "created" | "changed" | "unchanged"; readonly version: string }
  | { readonly type: "deleted" | "absent" }
  /** Nothing was written: another client has written the object, or the store refuses it. */
  | { readonly type: "refused"; readonly reason: string }
  /** Nothing was written, because another change was refused. */
  | { readonly type: "skipped" }
);

export interface WriteOptions {
  /** Reports the outcomes without writing. */
  readonly dryRun: boolean;
  /** Whether to overwrite changes of other clients. */
  readonly force: boolean;
}

export interface Report {
  /** In the order of the changes. */
  readonly outcomes: readonly Outcome[];
  /** A remark for the user about the write; usually empty. */
  readonly note: string;
}

/**
 * A store of objects that users write: etcd, or an API server. It never overwrites an object that changed after it was
 * read. Throws `unavailable` if the store is unreachable.
 */
export interface ObjectStore extends Disposable {
  /** The objects of a kind, in one namespace or in all, sorted by namespace and name. */
  list(kind: Kind, namespace: string | undefined): Promise<readonly StoredObject[]>;
  get(id: ObjectId): Promise<StoredObject | undefined>;
  /** Creates or replaces these objects. Skips unchanged objects. */
  apply(changes: readonly ObjectWrite[], options: WriteOptions): Promise<Report>;
  delete(changes: readonly ObjectChange[], options: WriteOptions): Promise<Report>;
}
