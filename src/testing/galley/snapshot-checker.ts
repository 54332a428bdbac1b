import type { Distributor } from "../../galley/snapshotter/distributor.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import { deepEqual } from "../../lib/equal.ts";
import { generationLabel } from "./galley-objects.ts";
import { echoCollection, echoVersion, isPoisoned } from "./galley-rig.ts";

/**
 * The promises of Galley, each checked in every snapshot:
 * - `truth`: in the end, snapshots equal those that a fresh process makes of the final state, versions included;
 * - `patience`: no snapshot leaves before all required sources have synced and the wait for the optional one is over;
 * - `wholeness`: objects of one batch appear together, and objects that nobody deletes do not vanish;
 * - `instant`: collections of one snapshot belong to one instant: derived objects fit their inputs;
 * - `novelty`: no snapshot equals the one before it;
 * - `permanence`: a published snapshot does not change;
 * - `silence`: a stopped source has no effect;
 * - `problems`: a failing derivation is listed, for as long as it fails.
 */
export type GalleyPromise =
  | "truth"
  | "patience"
  | "wholeness"
  | "instant"
  | "novelty"
  | "permanence"
  | "silence"
  | "problems";

export const serviceEntryCollection = "istio/networking/v1alpha3/serviceentries";
const gateways = "istio/networking/v1alpha3/gateways";
/** The name of an object that only a stopped source sends. */
export const ghost = "ghost";

/** A destination that checks each snapshot on arrival, and records the promises it breaks. */
export class SnapshotChecker implements Distributor {
  /** True when all required sources have synced. */
  mayPublish: () => boolean = () => true;
  readonly #broken: Map<GalleyPromise, string>;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #contents = new Map<string, unknown>();
  readonly #seen = new Set<string>();

  constructor(broken: Map<GalleyPromise, string>) {
    this.#broken = broken;
  }

  /** The contents of the latest snapshot of each group at its arrival, in a comparable form. */
  get contents(): ReadonlyMap<string, unknown> {
    return this.#contents;
  }

  /** Checks that the latest snapshots still have their original contents. */
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
    if (snapshot.resources(serviceEntryCollection).some(({ name }) => name === ghost))
      this.#broken.set("silence", "a ghost");
  }

  #lookForPairs(snapshot: Snapshot): void {
    const [left, right] = [serviceEntryCollection, gateways].map((collection) => generations(snapshot, collection));
    if (!deepEqual(left, right)) this.#broken.set("wholeness", `${JSON.stringify([left, right])} were written as one`);
    for (const name of this.#seen) if (left?.[name] === undefined) this.#broken.set("wholeness", `${name} vanished`);
    for (const name of Object.keys(left ?? {})) this.#seen.add(name);
  }

  #lookAtEchoes(snapshot: Snapshot): void {
    const echoes = snapshot.collections.get(echoCollection);
    for (const [key, entry] of snapshot.collections.get(serviceEntryCollection)?.entries() ?? []) {
      if (isPoisoned(entry)) continue;
      const expected = echoVersion(entry, snapshot.collections.get(gateways)?.get(key));
      if (echoes?.get(key)?.version !== expected) this.#broken.set("instant", `${key} has no echo of ${expected}`);
    }
  }
}

/** The generation of each marker object in a collection. */
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
