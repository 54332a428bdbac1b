import type { Config, ConfigId } from "../../../config/config.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isAwaited } from "./early-refusals.ts";
import type { Refusal, Refusals } from "./refusals.ts";
import type { Rollouts } from "./rollouts.ts";
import { covers, type Scope } from "./scope.ts";
import type { Searches } from "./searches.ts";
import type { Trust } from "./trust.ts";

export interface TrialsOptions {
  readonly clock: Clock;
  readonly refusals: Pick<Refusals, "of">;
  readonly rollouts: Pick<Rollouts, "has" | "of">;
  readonly searches: Pick<Searches, "has" | "add">;
  readonly trust: Pick<Trust, "isTrusted">;
  readonly connections: () => Iterable<Connection<Proxy>>;
  readonly currentOf: (id: ConfigId) => Config | undefined;
  /** The epoch of the content that proxies get now. */
  readonly epoch: () => number;
}

/** A second proxy confirms a refusal after this time, if no proxy has confirmed it on its own. */
const confirmAfterMs = 10_000;

/** Tries refused objects again, each on one proxy: after a change, on request, or because one proxy alone refused them. */
export class Trials {
  readonly #options: TrialsOptions;
  /** The epoch of the mesh in which a search on this connection found nothing. */
  readonly #notFoundAt = new WeakMap<Connection<Proxy>, number>();

  constructor(options: TrialsOptions) {
    this.#options = options;
  }

  /** A search on this proxy found nothing. It is not used again before the mesh changes. */
  notFound(connection: Connection<Proxy>): void {
    this.#notFoundAt.set(connection, this.#options.epoch());
  }

  /** Refused objects that have changed since, or are due for another try, get a try on one proxy. */
  tryAgain(scope: Scope): void {
    const { currentOf, clock, rollouts, refusals } = this.#options;
    const now = clock.now();
    const due = [...refusals.of(scope.id).values()].filter(
      ({ id, version, retryAt = Infinity }) =>
        (retryAt <= now || currentOf(id)?.version !== version) && !rollouts.has(scope.classId, id),
    );
    this.try(
      scope,
      due.filter((each) => !this.isAwaited(each)),
    );
  }

  /** A second proxy tries refused objects that only one proxy has tried, or that rest on a proxy without trust. */
  confirm(scope: Scope): void {
    const { clock, trust } = this.#options;
    const due = clock.now() - confirmAfterMs;
    const open = this.unconfirmed(scope).filter(
      (each) => (each.since <= due || !trust.isTrusted(each.node)) && !this.isAwaited(each),
    );
    const [first] = open;
    if (first === undefined || scope.node !== undefined) return;
    const ofNode = open.filter(({ node }) => node === first.node);
    this.try(scope, ofNode, ({ client }) => client.nodeId !== first.node);
  }

  /** The refused version has not arrived here yet. */
  isAwaited(refusal: Refusal): boolean {
    const { currentOf, clock } = this.#options;
    return isAwaited(refusal, currentOf(refusal.id), clock.now());
  }

  unconfirmed(scope: Scope): readonly Refusal[] {
    return [...this.#options.refusals.of(scope.id).values()].filter(
      ({ id, confirmedBy, retryAt }) =>
        confirmedBy === undefined && retryAt === undefined && !this.#options.rollouts.has(scope.classId, id),
    );
  }

  /**
   * Tries refused objects on one proxy, if there is one for it. Returns the objects that are tried. A class tries nothing
   * during a rollout: an accepted object would have to wait for the next one.
   */
  try(
    scope: Scope,
    refusals: readonly Refusal[],
    isWanted: (connection: Connection<Proxy>) => boolean = () => true,
  ): readonly ConfigId[] {
    const { searches, rollouts } = this.#options;
    if (refusals.length === 0 || searches.has(scope.classId)) return [];
    if (scope.node === undefined && rollouts.of(scope.classId) !== undefined) return [];
    const connection = this.#proxyFor(scope, refusals, isWanted);
    if (connection === undefined) return [];
    const ids = refusals.map(({ id }) => id);
    const lists = [new Map(ids.map((id) => [id, undefined]))];
    searches.add({ connection, scope, lists, isTrial: true });
    return ids;
  }

  /** A proxy that has accepted everything else: best the one that refused the objects before. */
  #proxyFor(
    scope: Scope,
    refusals: readonly Refusal[],
    isWanted: (connection: Connection<Proxy>) => boolean,
  ): Connection<Proxy> | undefined {
    const nodes = new Set(refusals.map(({ node }) => node));
    let any: Connection<Proxy> | undefined;
    for (const each of this.#options.connections()) {
      if (!covers(scope, each.client) || !isWanted(each) || !this.mayTry(each)) continue;
      if (each.verdict.type !== "accepted") continue;
      if (nodes.has(each.client.nodeId)) return each;
      any ??= each;
    }
    return any;
  }

  mayTry(connection: Connection<Proxy>): boolean {
    const isSearched = this.#notFoundAt.get(connection) === this.#options.epoch();
    return !isSearched && this.#options.trust.isTrusted(connection.client.nodeId);
  }
}
