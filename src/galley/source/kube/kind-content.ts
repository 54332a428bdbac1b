import { isSameConfig } from "../../../config/config.ts";
import type { Kind } from "../../../config/kind.ts";
import { isSubstitute, substituteIssue } from "../../../config/parse/substitute.ts";
import type { WatchEvent } from "../../../kube/watch.ts";
import { overLimit } from "../../../lib/bounded/limit.ts";
import { deepEqual } from "../../../lib/equal.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { createTurn } from "../../../lib/time/turn.ts";
import { EmptyGuard } from "../empty-guard.ts";
import type { SourceEvent } from "../source.ts";
import { kubeObjectKey, type ParsedKubeObject, readObject } from "./read-object.ts";
import type { FullRead } from "./reflector.ts";

export interface ContentOptions {
  readonly kind: Kind;
  /** The name of the source, for origins. */
  readonly source: string;
  /** Whether objects of this namespace are reported. */
  readonly isSelected: (namespace: string) => boolean;
  readonly emit: (events: readonly SourceEvent[]) => void;
  readonly clock: Clock;
  /** The most objects that the source holds. */
  readonly maxObjects: number;
}

/** The objects of one kind as last reported, and their differences from the current objects. */
export class KindContent {
  readonly #options: ContentOptions;
  readonly #objects = new Map<string, ParsedKubeObject>();
  readonly #turn: () => Promise<void>;
  /** By the namespace of a full read. */
  readonly #guards = new Map<string | undefined, EmptyGuard>();

  constructor(options: ContentOptions) {
    this.#options = options;
    this.#turn = createTurn(options.clock);
  }

  /**
   * Starts a full read of one namespace or of all. The differences are reported in one list at the end. The end throws if
   * it is doubtful that nothing is left.
   */
  begin(namespace?: string): FullRead {
    const found = new Map<string, ParsedKubeObject>();
    return {
      take: async (events) => {
        for (const { type, object } of events) {
          const key = this.#keyOf(object);
          if (type === "DELETED") found.delete(key);
          else found.set(key, this.#merged(key, await this.#read(object)));
        }
        this.#bound(found.size);
      },
      end: () => {
        this.#guardOf(namespace).check("the API server", this.#keysIn(namespace).length, found.size);
        this.#replace(found, namespace);
      },
    };
  }

  /** Reports all changes at once, because the namespace selection may have changed during the read. */
  async change(events: readonly WatchEvent[]): Promise<void> {
    this.#bound(this.#objects.size + events.filter(({ type, object }) => this.#isNew(type, object)).length);
    const read: (readonly [key: string, reading: ParsedKubeObject | undefined])[] = [];
    for (const { type, object } of events) {
      // A deletion needs only the name of the object.
      read.push([this.#keyOf(object), type === "DELETED" ? undefined : await this.#read(object)]);
    }
    this.#options.emit(read.flatMap(([key, reading]) => [...this.#put(key, reading)]));
  }

  /** Reports that one namespace, or everything, is empty. */
  clear(namespace?: string): void {
    this.#replace(new Map(), namespace);
  }

  /** The events to report when a namespace becomes selected or deselected. */
  select(namespace: string, selected: boolean): readonly SourceEvent[] {
    const { kind } = this.#options;
    const inside = [...this.#objects].filter(([key]) => namespaceOf(key) === namespace);
    return inside.flatMap(([key, object]) => [
      ...(selected ? difference(kind, key, undefined, object) : difference(kind, key, object, undefined)),
    ]);
  }

  /** Throws before anything over the limit is reported. */
  #bound(objects: number): void {
    const { kind, maxObjects } = this.#options;
    if (objects > maxObjects) throw overLimit(`the list of ${kind.plural}`, maxObjects, "objects", objects);
  }

  #isNew(type: WatchEvent["type"], object: WatchEvent["object"]): boolean {
    return type !== "DELETED" && !this.#objects.has(this.#keyOf(object));
  }

  #replace(found: ReadonlyMap<string, ParsedKubeObject>, namespace: string | undefined): void {
    const gone = this.#keysIn(namespace)
      .filter((key) => !found.has(key))
      .flatMap((key) => [...this.#put(key, undefined)]);
    const there = [...found].flatMap(([key, reading]) => [...this.#put(key, reading)]);
    this.#options.emit([...gone, ...there]);
  }

  #keysIn(namespace: string | undefined): readonly string[] {
    return [...this.#objects.keys()].filter((key) => namespace === undefined || namespaceOf(key) === namespace);
  }

  #guardOf(namespace: string | undefined): EmptyGuard {
    const guard = this.#guards.get(namespace) ?? new EmptyGuard(this.#options.clock);
    this.#guards.set(namespace, guard);
    return guard;
  }

  #put(key: string, reading: ParsedKubeObject | undefined): Iterable<SourceEvent> {
    const before = this.#objects.get(key);
    const after = reading && this.#merged(key, reading);
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    return this.#options.isSelected(namespaceOf(key)) ? difference(this.#options.kind, key, before, after) : [];
  }

  /**
   * An unusable object keeps its last good version; without one, its substitute is in force. An unchanged object is not
   * stored twice.
   */
  #merged(key: string, { config, substitute, issues }: ParsedKubeObject): ParsedKubeObject {
    const known = this.#objects.get(key)?.config;
    // A substitute stays until the object is valid or gone: another one could select fewer workloads.
    const current = config ?? known ?? substitute;
    if (current === undefined) return { issues, config: undefined };
    return {
      issues: isSubstitute(current) ? [...issues, substituteIssue(current)] : issues,
      config: known !== undefined && isSameConfig(known, current) ? known : current,
    };
  }

  #keyOf(object: WatchEvent["object"]): string {
    return kubeObjectKey(object, this.#options.kind);
  }

  async #read(object: WatchEvent["object"]): Promise<ParsedKubeObject> {
    await this.#turn();
    return readObject(object, this.#options);
  }
}

function* difference(
  kind: Kind,
  key: string,
  before: ParsedKubeObject | undefined,
  after: ParsedKubeObject | undefined,
): Iterable<SourceEvent> {
  const { collection } = kind;
  if (after?.config !== undefined && after.config !== before?.config) {
    yield { type: "upserted", collection, config: after.config };
  }
  if (before?.config !== undefined && after?.config === undefined) yield { type: "deleted", collection, key };
  const issues = after?.issues ?? [];
  if (!deepEqual(issues, before?.issues ?? [])) yield { type: "issues", part: `${kind.kind} ${key}`, issues };
}

function namespaceOf(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}
