import { changesBetween } from "../../collection/changes-between.ts";
import type { Collection, View } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import type { Config, ConfigId } from "../../config/config.ts";
import { keyOf } from "../model/config-id.ts";
import { capturePush, type PushContext } from "../model/push-context.ts";
import { mergePushRequests, type PushRequest } from "../model/push-request.ts";
import { buildEnvironment, type Environment } from "./environment.ts";
import type { EnvironmentSettings } from "./inputs.ts";
import { pushRequestFor } from "./push-request-for.ts";

/** Objects that differ from those of the users: another version of an object, or undefined for its absence. */
export type Substitutes = ReadonlyMap<ConfigId, Config | undefined>;

/** The mesh with substitutes, and its changes since the last capture. */
export interface SubstitutedPush {
  readonly push: PushContext;
  readonly request: PushRequest;
}

/**
 * The mesh as it would be with other versions of some objects. It is a second graph with the same derivations. So
 * exactly what would follow from a user's object follows from a substitute. One graph serves any number of
 * substitutions, one after the other, because a captured context never changes. A server has it only while proxies
 * refuse an object. Everything that does not follow from a substitute is the same object as in the users' mesh.
 */
export class SubstitutedMesh {
  readonly #main: Environment;
  readonly #graph: Graph;
  readonly #environment: Environment;
  readonly #copiers: readonly Copier[];
  #substitutes: Substitutes = new Map();
  #request: PushRequest | undefined;

  constructor(main: Environment, settings: EnvironmentSettings) {
    this.#main = main;
    this.#graph = new Graph(main.graph);
    this.#environment = buildEnvironment(this.#graph, settings);
    const { inputs, fetchedKeySets, trustedRoots } = this.#environment;
    this.#copiers = [
      ...Array.from(inputs, ([name, to]) => copier(main.inputs.get(name), to)),
      copier(main.fetchedKeySets, fetchedKeySets),
      copier(main.trustedRoots, trustedRoots),
    ];
    this.#graph.onCommit((commit) => {
      const request = pushRequestFor(commit, this.#environment, 0);
      if (request !== undefined) this.#request = mergePushRequests(this.#request, request);
    });
  }

  /**
   * Copies the mesh in steps, and awaits `turn` between them, so that the first capture is short. Small collections go
   * first: everything depends on the MeshConfig.
   */
  async fill(turn: () => Promise<void>): Promise<void> {
    for (const { copy } of this.#copiers.toSorted((a, b) => a.size() - b.size())) {
      this.#graph.batch(copy);
      await turn();
    }
  }

  /** The objects of the last capture. */
  get objects(): readonly Config[] {
    return this.#environment.inputs
      .values()
      .flatMap((input) => input.values())
      .toArray();
  }

  /**
   * The current mesh with these substitutes, or the mesh of the last capture, with the current versions of objects that
   * were substituted then and are not now. `sequence` becomes the number of the context.
   */
  capture(substitutes: Substitutes, sequence: number, mesh: "current" | "kept" = "current"): SubstitutedPush {
    this.#graph.batch(() => {
      if (mesh === "current") for (const { copy } of this.#copiers) copy();
      // The last write of a batch wins.
      for (const id of this.#substitutes.keys()) this.#write(id, this.#main.inputOf(id)?.get(keyOf(id)));
      for (const [id, config] of substitutes) this.#write(id, config);
    });
    this.#substitutes = substitutes;
    const request = this.#request ?? { changed: new Set(), forced: false, reasons: new Map(), startedAt: 0 };
    this.#request = undefined;
    return { push: capturePush(this.#environment.views(), sequence), request };
  }

  #write(id: ConfigId, config: Config | undefined): void {
    const input = this.#environment.inputOf(id);
    if (config === undefined) input?.delete(keyOf(id));
    else input?.set(keyOf(id), config);
  }
}

interface Copier {
  /** Copies the changes since the last call. */
  readonly copy: () => void;
  /** The number of objects to copy. */
  readonly size: () => number;
}

function copier<T>(from: Collection<T> | undefined, to: Input<T>): Copier {
  let copied: View<T> | undefined;
  const copy = () => {
    if (from === undefined) return;
    const view = from.snapshot();
    for (const change of changesBetween(copied, view)) {
      if (change.type === "removed") to.delete(change.key);
      else to.set(change.key, change.after);
    }
    if (from.synced) to.markSynced();
    copied = view;
  };
  return { copy, size: () => from?.size ?? 0 };
}
