import type { Distributor } from "../../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import { deepEqual } from "../../lib/equal.ts";
import { generationLabel } from "./galley-objects.ts";
import { echoCollection, echoVersion, isPoisoned } from "./galley-rig.ts";

/**
 * What Galley promises, each looked at in every snapshot:
 * - `truth`: in the end there is what a fresh process makes of the final state, versions included;
 * - `patience`: nothing leaves before all required sources have synced, and the optional one had its time;
 * - `wholeness`: what was written in one batch shows together, and what is not taken away does not vanish;
 * - `instant`: collections of one snapshot are of one instant: what was derived fits what it was derived from;
 * - `novelty`: no snapshot equals the one before it;
 * - `permanence`: a snapshot that has left does not change;
 * - `silence`: nobody hears a source that was stopped;
 * - `problems`: a derivation that fails is listed, for as long as it fails.
 */
export type Promised =
  | "truth"
  | "patience"
  | "wholeness"
  | "instant"
  | "novelty"
  | "permanence"
  | "silence"
  | "problems";

export const entries = "istio/networking/v1alpha3/serviceentries";
const gateways = "istio/networking/v1alpha3/gateways";
/** The name of what only a source that was stopped speaks of. */
export const ghost = "ghost";

/** A destination that looks at each snapshot as it comes, and notes which promises it breaks. */
export class Witness implements Distributor {
  /** Whether all sources that have to be waited for have synced. */
  mayPublish: () => boolean = () => true;
  readonly #broken: Map<Promised, string>;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #contents = new Map<string, unknown>();
  readonly #seen = new Set<string>();

  constructor(broken: Map<Promised, string>) {
    this.#broken = broken;
  }

  /** What the latest snapshot of each group held when it came, in a form that can be compared. */
  get contents(): ReadonlyMap<string, unknown> {
    return this.#contents;
  }

  /** The latest snapshots still hold what they held. */
  lookAgain(): void {
    for (const [group, snapshot] of this.#snapshots) {
      if (!deepEqual(contentOf(snapshot), this.contents.get(group))) this.#broken.set("permanence", group);
    }
  }

  distribute(snapshot: Snapshot): void {
    this.lookAgain();
    const content = contentOf(snapshot);
    if (deepEqual(content, this.contents.get(snapshot.group))) this.#broken.set("novelty", snapshot.group);
    this.#contents.set(snapshot.group, content);
    this.#snapshots.set(snapshot.group, snapshot);
    if (snapshot.group !== "default") return;
    if (!this.mayPublish()) this.#broken.set("patience", "a snapshot came too early");
    this.#lookForPairs(snapshot);
    this.#lookAtEchoes(snapshot);
    if (snapshot.resources(entries).some(({ name }) => name === ghost)) this.#broken.set("silence", "a ghost");
  }

  #lookForPairs(snapshot: Snapshot): void {
    const [left, right] = [entries, gateways].map((collection) => generations(snapshot, collection));
    if (!deepEqual(left, right)) this.#broken.set("wholeness", `${JSON.stringify([left, right])} were written as one`);
    for (const name of this.#seen) if (left?.[name] === undefined) this.#broken.set("wholeness", `${name} vanished`);
    for (const name of Object.keys(left ?? {})) this.#seen.add(name);
  }

  #lookAtEchoes(snapshot: Snapshot): void {
    const echoes = snapshot.collections.get(echoCollection);
    for (const [key, entry] of snapshot.collections.get(entries)?.entries() ?? []) {
      if (isPoisoned(entry)) continue;
      const expected = echoVersion(entry, snapshot.collections.get(gateways)?.get(key));
      if (echoes?.get(key)?.version !== expected) this.#broken.set("instant", `${key} has no echo of ${expected}`);
    }
  }
}

/** The generation of each witness in a collection. */
function generations(snapshot: Snapshot, collection: string): Readonly<Record<string, string>> {
  const labelled = snapshot.resources(collection).flatMap(({ name, labels }) => {
    const generation = labels[generationLabel];
    return generation === undefined ? [] : [[name, generation] as const];
  });
  return Object.fromEntries(labelled);
}

function contentOf(snapshot: Snapshot): unknown {
  return Array.from(snapshot.collections.keys(), (collection) => ({
    collection,
    version: snapshot.version(collection),
    resources: snapshot.resources(collection),
  }));
}
