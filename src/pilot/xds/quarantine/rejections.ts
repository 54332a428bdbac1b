import type { Config, ConfigId } from "../../../config/config.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Acceptance } from "./acceptance.ts";
import type { QuarantineOptions } from "./quarantine-options.ts";
import type { Refusals } from "./refusals.ts";
import type { Released } from "./released.ts";
import type { Rollouts } from "./rollouts.ts";
import type { ScopeMeshes } from "./scope-meshes.ts";
import { classScope, nodeScopeIdOf } from "./scope.ts";
import type { Case, Searches } from "./searches.ts";
import { suspectLists } from "./suspects.ts";
import type { Trials } from "./trials.ts";

export interface RejectionsOptions extends Pick<QuarantineOptions, "served" | "connections"> {
  readonly accepted: Pick<Acceptance, "log" | "changedFor">;
  readonly refusals: Pick<Refusals, "of" | "substitutesOf">;
  readonly released: Pick<Released, "has">;
  readonly rollouts: Pick<Rollouts, "of">;
  readonly meshes: Pick<ScopeMeshes, "rolloutSubstitutes">;
  readonly searches: () => Pick<Searches, "has" | "add" | "named">;
  readonly trials: () => Pick<Trials, "mayTry">;
}

/** Begins a search after a rejection. */
export class Rejections {
  readonly #options: RejectionsOptions;
  /** Proxies that get the names of a rejected response again, in halves. The last answer gives their verdict. */
  readonly #undecided = new WeakSet<Connection<Proxy>>();

  constructor(options: RejectionsOptions) {
    this.#options = options;
  }

  /** Whether the rejection of a proxy is about the resources that are meant for it now. */
  isCurrent(connection: Connection<Proxy>): boolean {
    const { accepted, served } = this.#options;
    return accepted.log.isPublished && served.isCurrent(connection) && connection.verdict.type === "rejected";
  }

  /** A proxy rejects its resources. */
  search(connection: Connection<Proxy>): void {
    const { connections, served, accepted, trials } = this.#options;
    const searches = this.#options.searches();
    const scope = classScope(connection.client);
    if (searches.has(scope.classId) || !trials().mayTry(connection)) return;
    const { verdict } = connection;
    if (verdict.type === "pending") this.#undecided.add(connection);
    // A NACK of an older response, or of resources that the class no longer gets, says nothing.
    if (verdict.type !== "rejected" || !served.isCurrent(connection)) return;
    const { reason: rejection } = verdict;
    const changed = accepted.changedFor(connection, connections());
    const named = (suspects: readonly ConfigId[]) => searches.named(rejection, suspects);
    const refused = this.#refusedBy(connection);
    const lists = [...this.#rolledOutTo(connection), ...suspectLists(connection, { changed, refused, named })];
    // A change that is not published yet may mend the resources that the proxy rejected.
    const isCurrent = accepted.log.isPublished;
    if (lists.length > 0) searches.add({ connection, scope, lists, ...(isCurrent && { rejection }) });
  }

  /** A proxy has accepted a response. Its last half may be good, and another one bad. */
  acceptedHalf(connection: Connection<Proxy>): void {
    const { type } = connection.verdict;
    if (type === "pending" || !this.#undecided.delete(connection)) return;
    if (type === "rejected") this.search(connection);
  }

  /** Substitutes that are no matter of the search: refused objects, and objects that change while it runs. */
  othersFor({ connection, scope }: Case): () => ReadonlyMap<ConfigId, Config | undefined> {
    const { accepted, rollouts, meshes, refusals } = this.#options;
    const { nodeId } = connection.client;
    const startedAt = accepted.log.epoch;
    const own = { id: nodeScopeIdOf(scope.classId, nodeId), classId: scope.classId };
    const isInRollout = () => rollouts.of(scope.classId)?.nodes.has(nodeId) === true;
    return () => {
      const substitutes = isInRollout() ? meshes.rolloutSubstitutes(scope.classId) : refusals.substitutesOf(own);
      return new Map([...substitutes, ...(accepted.log.since(startedAt) ?? [])]);
    };
  }

  /** Objects that are refused already, or released by an operator. */
  #refusedBy({ client }: Connection<Proxy>): { has(id: ConfigId): boolean } {
    const { refusals, released } = this.#options;
    const { classId } = classScope(client);
    const known = [refusals.of(classId), refusals.of(nodeScopeIdOf(classId, client.nodeId))];
    return { has: (id) => known.some((each) => each.has(id)) || released.has(classId, id) };
  }

  /** The objects that this proxy got before the others of its class. */
  #rolledOutTo({ client }: Connection<Proxy>): Case["lists"] {
    const rollout = this.#options.rollouts.of(classScope(client).classId);
    if (rollout?.nodes.has(client.nodeId) !== true) return [];
    return [new Map(Array.from(rollout.objects.keys(), (id) => [id, undefined]))];
  }
}
