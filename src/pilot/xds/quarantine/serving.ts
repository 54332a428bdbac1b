import type { ConfigId } from "../../../config/config.ts";
import type { QuarantineOptions } from "./quarantine-options.ts";
import type { Refusal, Refusals } from "./refusals.ts";
import type { Rollouts } from "./rollouts.ts";
import type { ScopeMeshes } from "./scope-meshes.ts";
import { classScope, covers, type Scope } from "./scope.ts";
import type { Searches } from "./searches.ts";
import type { Trust } from "./trust.ts";

export interface ServingOptions
  extends Pick<QuarantineOptions, "inTurn" | "repush" | "connections" | "currentOf" | "observer"> {
  readonly refusals: Refusals;
  readonly rollouts: Pick<Rollouts, "drop">;
  readonly meshes: Pick<ScopeMeshes, "update">;
  readonly trust: Pick<Trust, "isTrusted">;
}

/** Ends refusals, and brings their consequences to the proxies. */
export class Serving {
  readonly #options: ServingOptions;

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  /** Refusals end. */
  remove(scope: Scope, ids: Iterable<ConfigId>): void {
    const { refusals, rollouts, observer } = this.#options;
    const known = [...ids].filter((id) => refusals.of(scope.id).has(id));
    refusals.remove(scope.id, known);
    if (scope.node === undefined) rollouts.drop(scope.classId, known);
    for (const id of known) observer.objectReleased(id, scope);
  }

  /** Refusals end that no object, or no proxy, has any more. Returns whether there were any. */
  removeOutdated(): boolean {
    const { refusals: all, connections } = this.#options;
    if (all.isEmpty) return false;
    const clients = Array.from(connections(), ({ client }) => client);
    let any = false;
    for (const { scope, refusals } of all.scopes) {
      const isConnected = clients.some((client) => covers(scope, client));
      const outdated = [...refusals.values()].filter((each) => this.#isOutdated(scope, each, isConnected));
      any ||= outdated.length > 0;
      this.remove(
        scope,
        outdated.map(({ id }) => id),
      );
    }
    return any;
  }

  /**
   * Brings the meshes to the refusals, and pushes to the proxies of the class. A proxy on trial stays on trial, unless its
   * search has ended.
   */
  async serve({ classId }: Scope, ended?: Pick<Searches, "takeCatalogue" | "endTrial">): Promise<void> {
    const { inTurn, repush, connections, meshes } = this.#options;
    await inTurn(() => meshes.update(() => ended?.takeCatalogue()));
    ended?.endTrial();
    repush([...connections()].filter(({ client }) => classScope(client).classId === classId));
  }

  /**
   * The object is gone: then only its absence can be refused, by a proxy that is connected. A single proxy that is gone,
   * or that is not trusted, tries nothing again: it gets the users' object as soon as it changes.
   */
  #isOutdated({ node }: Scope, { id, version }: Refusal, isConnected: boolean): boolean {
    const { currentOf, trust } = this.#options;
    const current = currentOf(id);
    if (current === undefined) return version !== undefined || !isConnected;
    const triesAgain = node === undefined || (isConnected && trust.isTrusted(node));
    return current.version !== version && !triesAgain;
  }
}
