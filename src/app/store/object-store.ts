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

/** What is to be written, or to go. */
export interface Wish {
  readonly id: ObjectId;
  /** The version it was made from; undefined when it was made from none, and whatever is there may be replaced. */
  readonly version: string | undefined;
}

export interface WrittenWish extends Wish {
  readonly fields: ObjectFields;
}

/** What became of a wish, or would. */
export type Outcome = {
  readonly id: ObjectId;
} & (
  | { readonly type: "created" | "changed" | "unchanged"; readonly version: string }
  | { readonly type: "deleted" | "absent" }
  /** Nothing was written: somebody else has written it meanwhile, or the store does not take it. */
  | { readonly type: "refused"; readonly reason: string }
  /** Nothing was written, because another one was refused. */
  | { readonly type: "skipped" }
);

export interface WriteOptions {
  /** Only says what would come of it. */
  readonly dryRun: boolean;
  /** Whether what others have written may be overwritten. */
  readonly force: boolean;
}

export interface Report {
  /** In the order of the wishes. */
  readonly outcomes: readonly Outcome[];
  /** What people should know of how it was done; empty mostly. */
  readonly note: string;
}

/**
 * Where objects are kept that people write: etcd, or an API server. Nothing is overwritten that changed after it was
 * looked at. Throws `unavailable` when the store cannot be reached.
 */
export interface ObjectStore extends Disposable {
  /** Those of a kind, in one namespace or in all of them, by namespace and name. */
  list(kind: Kind, namespace: string | undefined): Promise<readonly StoredObject[]>;
  get(id: ObjectId): Promise<StoredObject | undefined>;
  /** Replaces objects by these, or creates them; those that are as they should be are left alone. */
  apply(wishes: readonly WrittenWish[], options: WriteOptions): Promise<Report>;
  delete(wishes: readonly Wish[], options: WriteOptions): Promise<Report>;
}
