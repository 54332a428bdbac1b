import { type Config, type ConfigId, configId } from "../../../config/config.ts";
import { rolloutNameOf } from "../../../config/rollout/rollout-plan.ts";
import { mayStage } from "./may-stage.ts";
import { areConnected, type References, referencesIn } from "./references.ts";
import { isSameContent, type StagedChange, type StagedObject } from "./staged-change.ts";

/** A change of one object on its way to Pilot. */
export interface ArrivedChange {
  readonly before: Config | undefined;
  readonly after: Config | undefined;
}

export interface StagingOptions {
  readonly domain: string;
  readonly currentOf: (id: ConfigId) => Config | undefined;
  /** Writes Pilot's inputs, as one change. Undefined deletes the object. */
  readonly write: (objects: ReadonlyMap<ConfigId, Config | undefined>) => void;
}

/** A stored change: the stable versions, and the content that they were stable for. */
export interface StoredChange {
  readonly id: string;
  readonly merged: readonly string[];
  readonly objects: readonly (Pick<StagedObject, "id" | "stable" | "joined"> & {
    readonly version: string | undefined;
  })[];
}

/**
 * Holds changes back that arrive in waves. Pilot's inputs keep the stable versions, so everybody who is not in a wave gets
 * the mesh without the change. A change that an object of a held change refers to, or that refers to one, is held with
 * it: no wave separates a route from the subsets that it needs. Without annotated objects every change passes.
 */
export class Staging {
  readonly #options: StagingOptions;
  /** By id, the oldest first. */
  readonly #changes = new Map<string, StagedChange>();
  readonly #listeners: (() => void)[] = [];
  #isOpen = false;

  constructor(options: StagingOptions) {
    this.#options = options;
  }

  get changes(): ReadonlyMap<string, StagedChange> {
    return this.#changes;
  }

  /** From now on proxies have a stable version. Before, there is nothing to keep. */
  open(): void {
    this.#isOpen = true;
  }

  /** Calls back whenever held changes come, go or differ. */
  onChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Takes the changes that must wait. Returns the others. */
  admit<C extends ArrivedChange>(changes: readonly C[]): readonly C[] {
    if (!this.#isOpen || (this.#changes.size === 0 && !changes.some(isDeclared))) return changes;
    const admitted: C[] = [];
    let undeclared: C[] = [];
    const stables = new Map<C, Config | undefined>();
    for (const change of changes) {
      const { after } = change;
      const held = this.#release(idOf(change));
      const stable = held === undefined ? change.before : held.stable;
      stables.set(change, stable);
      const name = declaredName(change);
      if (isSameContent(stable, after) || !mayStage(stable, after)) admitted.push(change);
      else if (name === undefined) undeclared.push(change);
      else this.#hold(name, { id: idOf(change), stable, next: after, joined: false });
    }
    for (let found = true; found; ) {
      const left = undeclared.filter((change) => !this.#join(change, stables.get(change)));
      found = left.length < undeclared.length;
      undeclared = left;
    }
    this.#mergeConnected();
    this.#notify();
    return [...admitted, ...undeclared];
  }

  /** The changes that would pass, and everything that would be held after them. Nothing is changed. */
  preview<C extends ArrivedChange>(changes: readonly C[]) {
    const copy = new Staging({ ...this.#options, write: () => undefined });
    copy.#isOpen = this.#isOpen;
    for (const [id, change] of this.#changes) copy.#changes.set(id, change);
    return { admitted: copy.admit(changes), held: copy.changes };
  }

  /** Everybody gets the change from now on: it becomes the stable version. */
  finish(id: string): void {
    const change = this.#changes.get(id);
    if (change === undefined) return;
    this.#changes.delete(id);
    this.#options.write(new Map(Array.from(change.objects.values(), ({ id: object, next }) => [object, next])));
  }

  /** Holds a change again that was held before a restart, if its objects are still the same, or newer. */
  restore({ id, merged, objects }: StoredChange): void {
    const { currentOf, write } = this.#options;
    const held = new Map<ConfigId, StagedObject>();
    for (const { id: object, stable, joined, version } of objects) {
      const next = currentOf(object);
      // An edit without the annotation is served at once, and a deletion of an object that had it is not.
      const isWanted = next?.version === version || next === undefined || rolloutNameOf(next.annotations) !== undefined;
      if (!isWanted || isSameContent(stable, next) || !mayStage(stable, next)) continue;
      held.set(object, { id: object, stable, next, joined });
    }
    if (held.size === 0) return;
    this.#changes.set(id, { id, merged, objects: held });
    write(new Map(Array.from(held.values(), (each) => [each.id, each.stable])));
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The object is no matter of a held change any more. Returns it if it was. */
  #release(id: ConfigId): StagedObject | undefined {
    for (const change of this.#changes.values()) {
      const held = change.objects.get(id);
      if (held === undefined) continue;
      const objects = new Map(change.objects);
      objects.delete(id);
      if (objects.size === 0) this.#changes.delete(change.id);
      else this.#changes.set(change.id, { ...change, objects });
      return held;
    }
    return undefined;
  }

  #hold(name: string, object: StagedObject): void {
    const change = this.#named(name) ?? { id: name, merged: [], objects: new Map() };
    this.#changes.set(change.id, { ...change, objects: new Map([...change.objects, [object.id, object]]) });
  }

  #named(name: string): StagedChange | undefined {
    return this.#changes.get(name) ?? this.#changes.values().find(({ merged }) => merged.includes(name));
  }

  #join({ before, after }: ArrivedChange, stable: Config | undefined): boolean {
    const own = referencesIn([stable, after], this.#options.domain);
    const change = this.#changes.values().find((each) => areConnected(own, this.#referencesOf(each)));
    const config = after ?? stable ?? before;
    if (change === undefined || config === undefined) return false;
    this.#hold(change.id, { id: configIdOf(config), stable, next: after, joined: true });
    return true;
  }

  /** Objects of two rollouts refer to each other: then only both together leave no reference without its object. */
  #mergeConnected(): void {
    for (const older of this.#changes.values()) {
      for (const newer of this.#changes.values()) {
        const into = this.#changes.get(older.id);
        if (into === undefined || newer.id === older.id || !this.#changes.has(newer.id)) continue;
        if (!areConnected(this.#referencesOf(into), this.#referencesOf(newer))) continue;
        this.#changes.delete(newer.id);
        const merged = [...into.merged, newer.id, ...newer.merged];
        this.#changes.set(into.id, { ...into, merged, objects: new Map([...into.objects, ...newer.objects]) });
        this.#mergeConnected();
        return;
      }
    }
  }

  #referencesOf({ objects }: StagedChange): References {
    const versions = [...objects.values()].flatMap(({ stable, next }) => [stable, next]);
    return referencesIn(versions, this.#options.domain);
  }
}

function isDeclared(change: ArrivedChange): boolean {
  return declaredName(change) !== undefined;
}

/** The newest version decides; of a deleted object the last one. */
function declaredName({ before, after }: ArrivedChange): string | undefined {
  const config = after ?? before;
  const name = config && rolloutNameOf(config.annotations);
  return name === undefined ? undefined : `${config?.namespace}/${name}`;
}

function idOf({ before, after }: ArrivedChange): ConfigId {
  const config = after ?? before;
  return config === undefined ? configId("", "", "") : configIdOf(config);
}

function configIdOf({ kind, namespace, name }: Config): ConfigId {
  return configId(kind, namespace, name);
}
