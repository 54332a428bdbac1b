import type { RecordedPush } from "./recorded-push.ts";

/** The largest number of objects that one change keeps. */
const maxObjects = 200;

/** An object that a commit changed. */
export interface JournalObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly operation: "added" | "updated" | "removed";
  readonly source: string;
  /** `file:line`, or the path in a registry. */
  readonly reference: string;
}

/** How far a change is. The journal knows no more: a push has the rest. */
export type ChangeStage =
  | { readonly type: "not pushed" }
  | { readonly type: "waiting" }
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "pushed"; readonly push: RecordedPush };

/** One commit of the configuration. */
export class RecordedChange {
  readonly id: string;
  /** In the clock's milliseconds. */
  readonly at: number;
  /** The first ones. */
  readonly objects: readonly JournalObject[];
  /** The number of all objects, by namespace. */
  readonly countByNamespace: ReadonlyMap<string, number>;
  readonly total: number;
  endpointsOnly = false;
  stage: ChangeStage = { type: "not pushed" };

  constructor(id: string, at: number, objects: Iterable<JournalObject>) {
    this.id = id;
    this.at = at;
    const kept: JournalObject[] = [];
    const counts = new Map<string, number>();
    let total = 0;
    for (const object of objects) {
      if (kept.length < maxObjects) kept.push(object);
      counts.set(object.namespace, (counts.get(object.namespace) ?? 0) + 1);
      total++;
    }
    this.objects = kept;
    this.countByNamespace = counts;
    this.total = total;
  }
}
