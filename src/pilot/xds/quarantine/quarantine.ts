import type { Config, ConfigId } from "../../../config/config.ts";
import { errorFrom } from "../../../lib/errors.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import { type ProxyClass, proxyClassOf } from "../../model/proxy/proxy-class.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Replacement } from "../../registry/instead-of.ts";
import { rejectedIn } from "../status/rejections.ts";
import { Acceptance, isSettled } from "./acceptance.ts";
import { buildReport } from "./build-report.ts";
import type { ChangedObject } from "./change-log.ts";
import type { QuarantineObserver } from "./observer.ts";
import { Probing } from "./probing.ts";
import { type Refusal, Refusals, type RefusingClass } from "./refusals.ts";
import type { QuarantineReport, RejectedResources, ReleaseResult, ReportedSearch, RetryResult } from "./report.ts";
import type { SubstitutedCatalogues } from "./substituted-catalogues.ts";
import { type Found, Search } from "./search.ts";
import { type SuspectList, suspectLists } from "./suspects.ts";
import { Trust } from "./trust.ts";
import type { ServedCatalogues } from "./served-catalogues.ts";

export interface QuarantineOptions {
  readonly clock: Clock;
  readonly served: ServedCatalogues;
  readonly catalogues: SubstitutedCatalogues;
  readonly connections: () => Iterable<Connection<Proxy>>;
  /** Runs work while no push runs. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Pushes to these connections: their meshes may have changed. */
  readonly repush: (connections: Iterable<Connection<Proxy>>) => void;
  /** The current version of an object. */
  readonly currentOf: (id: ConfigId) => Config | undefined;
  /** The replacement that proxies get for a refused object. `accepted` is the version that they accepted before, if any. */
  readonly insteadOf: (id: ConfigId, refused: Config | undefined, accepted: Config | undefined) => Replacement;
  readonly observer: QuarantineObserver;
}

/** A search that waits for its turn. */
interface Case {
  readonly connection: Connection<Proxy>;
  /** The lists of suspects, the most likely first. */
  readonly lists: readonly SuspectList[];
  /** The reason why the proxy rejected all suspects together; absent if it is not known to reject them. */
  readonly rejection?: string;
}

/** After a search the server looks once more for rejections that came meanwhile. */
const reviewAfterMs = 1_000;

/**
 * Keeps an object that a class of proxies refuses away from that class, so that it harms only itself. After a rejection
 * it searches for the object on the proxy that rejected (see {@link Search}). From then on all proxies of the class get
 * the mesh with the accepted version of the object, or without it. When the object changes, one proxy gets it first.
 * One search runs at a time. Time passes only between probes.
 */
export class Quarantine {
  readonly #options: QuarantineOptions;
  readonly #accepted = new Acceptance();
  readonly #refusals = new Refusals();
  readonly #trust = new Trust();
  /** The epoch of the mesh in which a search on this connection found nothing. */
  readonly #notFoundAt = new WeakMap<Connection<Proxy>, number>();
  readonly #cases = new Map<string, Case>();
  /** By class: versions that an operator released. */
  readonly #released = new Map<string, ReadonlyMap<ConfigId, string | undefined>>();
  #probing: Probing | undefined;
  #running: (() => ReportedSearch) | undefined;
  #isRunning = false;
  #cancelReview: Cancel | undefined;
  #stopped = false;

  constructor(options: QuarantineOptions) {
    this.#options = options;
  }

  /** Every class that refuses something. */
  get classes(): readonly RefusingClass[] {
    return this.#refusals.classes;
  }

  /** The state of the quarantine now. */
  report(): QuarantineReport {
    return buildReport({
      connections: this.#options.connections(),
      classes: this.classes,
      stateOf: (classId, { id }) => {
        const open = this.#cases.get(classId);
        const isTried = open?.lists.some((list) => list.has(id)) === true;
        return isTried ? { type: "being tried", node: open.connection.client.nodeId } : { type: "refused" };
      },
      servedTo: () => 0,
      released: [...this.#released].flatMap(([classId, ids]) =>
        Array.from(ids, ([id, version]) => ({ classId, id, version })),
      ),
      search: this.#running?.(),
      untrusted: this.#trust.untrusted,
    });
  }

  /** Tries the current version of a refused object again, or of all refused objects. */
  retry(id?: ConfigId): RetryResult {
    const refusing = this.classes.filter(({ refusals }) => (id === undefined ? true : refusals.has(id)));
    if (refusing.length === 0) return { type: "not refused" };
    const tried = new Set<ConfigId>();
    for (const { proxies, refusals } of refusing) {
      const wanted = [...refusals.values()].filter((each) => id === undefined || each.id === id);
      for (const each of this.#try(proxies, wanted)) tried.add(each);
    }
    return tried.size === 0 ? { type: "no proxy" } : { type: "started", objects: [...tried] };
  }

  /**
   * Serves the current version of an object to everybody, although proxies refused it. This version is never refused
   * again. A later version is.
   */
  async release(id: ConfigId): Promise<ReleaseResult> {
    const refusing = this.classes.filter(({ refusals }) => refusals.has(id));
    if (refusing.length === 0) return { type: "not refused" };
    const version = this.#options.currentOf(id)?.version;
    for (const { proxies, refusals } of refusing) {
      this.#accepted.noteRelease(proxies.id, id, refusals.get(id)?.instead.objects.get(id));
      this.#released.set(proxies.id, new Map([...(this.#released.get(proxies.id) ?? []), [id, version]]));
      await this.#change(proxies, [], [id]);
    }
    return { type: "released", classes: refusing.map(({ proxies }) => proxies.id) };
  }

  /** Users' objects have changed. Without connections nobody has accepted anything. */
  changed(changes: Iterable<ChangedObject>): void {
    const [any] = this.#options.connections();
    if (any !== undefined) this.#accepted.log.note(changes);
  }

  /** A push contains all changes so far. A proxy that owes no answer has accepted everything before it. */
  captured(): void {
    const { connections, served } = this.#options;
    for (const connection of connections()) {
      if (!served.isOnTrial(connection.client) && isSettled(connection)) this.#accepted.note(connection);
    }
    this.#accepted.log.captured();
  }

  /** The users' mesh was published. Brings the meshes of all classes to the same state. */
  async published(): Promise<void> {
    const classes = this.#refusals.classes.map(({ proxies }) => proxies);
    this.#releaseDeleted();
    for (const { id } of classes) await this.#updateClass(id);
    this.#accepted.published(this.#options.connections());
    for (const proxies of classes) this.#tryAgain(proxies);
  }

  /** A proxy sent an ACK or NACK. */
  answered(connection: Connection<Proxy>, verdict: "ack" | "nack"): void {
    this.#probing?.answered(connection);
    if (this.#options.served.isOnTrial(connection.client)) return;
    if (verdict === "nack") return this.#rejected(connection);
    if (!isSettled(connection)) return;
    this.#accepted.note(connection);
    this.#tryAgain(proxyClassOf(connection.client));
  }

  gone(connection: Connection<Proxy>): void {
    this.#probing?.answered(connection);
  }

  /** Ends the current search, and begins no other one. */
  stop(): void {
    this.#stopped = true;
    this.#cases.clear();
    this.#probing?.cancel();
    this.#cancelReview?.();
  }

  #rejected(connection: Connection<Proxy>): void {
    const { nodeId } = connection.client;
    const { id } = proxyClassOf(connection.client);
    if (this.#cases.has(id) || !this.#trust.isTrusted(nodeId)) return;
    if (this.#notFoundAt.get(connection) === this.#accepted.log.epoch) return;
    // A NACK of an older response says nothing about the current resources.
    const { verdict } = connection;
    if (verdict.type !== "rejected") return;
    const { reason: rejection } = verdict;
    const changed = this.#accepted.changedFor(connection, this.#options.connections());
    const isKnown = (object: ConfigId) => this.#refusals.of(id).has(object) || this.#isReleased(id, object);
    const lists = suspectLists(connection, changed, { has: isKnown });
    // A change that is not published yet may mend what the proxy rejected.
    if (lists.length > 0) this.#add(id, { connection, lists, ...(this.#accepted.log.isPublished && { rejection }) });
  }

  /** Refused objects that have changed since get a try on one proxy. */
  #tryAgain(proxies: ProxyClass): void {
    if (this.#refusals.isEmpty || this.#cases.has(proxies.id)) return;
    const changed = [...this.#refusals.of(proxies.id).values()].filter(
      ({ id, version }) => this.#options.currentOf(id)?.version !== version,
    );
    this.#try(proxies, changed);
  }

  /** Tries these refused objects on one proxy, if there is one for it. Returns the objects that are tried. */
  #try(proxies: ProxyClass, refusals: readonly Refusal[]): readonly ConfigId[] {
    if (this.#cases.has(proxies.id)) return [];
    const connection = refusals.length === 0 ? undefined : this.#proxyFor(proxies, refusals);
    if (connection === undefined) return [];
    const ids = refusals.map(({ id }) => id);
    this.#add(proxies.id, { connection, lists: [new Map(ids.map((id) => [id, undefined]))] });
    return ids;
  }

  /** An operator serves the current version of the object, whatever proxies say. */
  #isReleased(classId: string, id: ConfigId): boolean {
    const released = this.#released.get(classId);
    return released?.has(id) === true && released.get(id) === this.#options.currentOf(id)?.version;
  }

  /** A proxy that has accepted everything else: best the one that refused the objects before. */
  #proxyFor(proxies: ProxyClass, refusals: readonly Refusal[]): Connection<Proxy> | undefined {
    const nodes = new Set(refusals.map(({ node }) => node));
    const usable = [...this.#options.connections()].filter(
      (each) =>
        proxyClassOf(each.client).id === proxies.id &&
        each.verdict.type === "accepted" &&
        this.#trust.isTrusted(each.client.nodeId) &&
        this.#notFoundAt.get(each) !== this.#accepted.log.epoch,
    );
    return usable.find(({ client }) => nodes.has(client.nodeId)) ?? usable[0];
  }

  #add(classId: string, added: Case): void {
    if (this.#stopped) return;
    this.#cases.set(classId, added);
    this.#start();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#work().finally(() => {
      this.#isRunning = false;
      if (this.#cases.size > 0) this.#start();
    });
  }

  async #work(): Promise<void> {
    for (const [classId, next] of this.#cases) {
      try {
        await this.#search(next);
      } catch (thrown) {
        this.#options.observer.searchFailed(errorFrom(thrown));
      }
      this.#cases.delete(classId);
    }
    this.#reviewLater();
  }

  async #search({ connection, lists, rejection }: Case): Promise<void> {
    const { clock, served, catalogues, inTurn, repush, observer } = this.#options;
    const { nodeId: node } = connection.client;
    const proxies = proxyClassOf(connection.client);
    const probing = new Probing(connection, { clock, served, catalogues, inTurn });
    this.#probing = probing;
    const search = new Search({
      probing,
      currentOf: this.#options.currentOf,
      insteadOf: (id, accepted) => this.#insteadOf(proxies, id, accepted),
      others: this.#heldBack(proxies),
    });
    this.#running = () => ({ classId: proxies.id, node, suspects: search.suspects, probes: search.probes });
    const rejected = rejectedResources(connection);
    const isCurrent = this.#accepted.log.isPublished && connection.verdict.type === "rejected";
    const startedAt = this.#accepted.log.epoch;
    let found: Found | undefined;
    try {
      found = await search.run(lists, isCurrent ? rejection : undefined);
      if (found === undefined) {
        this.#trust.failed(node);
        this.#notFoundAt.set(connection, this.#accepted.log.epoch);
      } else {
        this.#trust.succeeded(node);
        this.#accepted.note(connection, startedAt);
        await this.#conclude(proxies, found, { node, rejected, probes: search.probes });
      }
    } finally {
      this.#running = undefined;
      this.#endTrial();
      repush([connection]);
    }
    const { suspects, probes } = search;
    const offenders = found?.offenders.length ?? 0;
    observer.searchEnded({
      node,
      proxies,
      suspects: suspects.length,
      probes,
      offenders,
      inconclusive: found === undefined,
    });
  }

  #endTrial(): void {
    this.#probing?.end();
    this.#probing = undefined;
  }

  /** Substitutes that are no matter of the search: refused objects, and objects that change while it runs. */
  #heldBack({ id }: ProxyClass): () => ReadonlyMap<ConfigId, Config | undefined> {
    const startedAt = this.#accepted.log.epoch;
    return () => new Map([...this.#refusals.substitutesOf(id), ...(this.#accepted.log.since(startedAt) ?? [])]);
  }

  async #conclude(
    proxies: ProxyClass,
    { offenders, list, pinned }: Found,
    facts: Pick<Refusal, "node" | "rejected" | "probes">,
  ): Promise<void> {
    const { clock } = this.#options;
    const refused = offenders.map(
      ({ suspect: id, reason }): Refusal => ({
        id,
        version: pinned.get(id)?.version,
        reason,
        since: clock.now(),
        confirmedBy: undefined,
        ...facts,
        instead: this.#insteadOf(proxies, id, list.get(id)),
      }),
    );
    const ids = new Set(refused.map(({ id }) => id));
    const released = [...list.keys()].filter((id) => !ids.has(id));
    const before = this.#refusals.of(proxies.id);
    for (const id of released) if (before.has(id)) this.#accepted.noteRelease(proxies.id, id, pinned.get(id));
    await this.#change(proxies, refused, released);
  }

  /** Objects in place of a refused one. An accepted version stays in place while newer versions are refused. */
  #insteadOf(proxies: ProxyClass, id: ConfigId, accepted: Config | undefined): Replacement {
    const { insteadOf, currentOf } = this.#options;
    const before = this.#refusals.of(proxies.id).get(id)?.instead;
    return before?.type === "earlier version" ? before : insteadOf(id, currentOf(id), accepted);
  }

  /** Changes the refused objects of a class, and pushes to its proxies. */
  async #change(proxies: ProxyClass, refused: readonly Refusal[], released: readonly ConfigId[]): Promise<void> {
    const { observer, inTurn, repush, connections } = this.#options;
    const before = this.#refusals.of(proxies.id);
    this.#refusals.add(proxies, refused);
    this.#refusals.release(proxies.id, released);
    for (const refusal of refused) observer.objectQuarantined(refusal, proxies);
    for (const id of released) if (before.has(id)) observer.objectReleased(id, proxies);
    await inTurn(() => this.#updateClass(proxies.id));
    // Otherwise the proxy of the search would get the last probe again.
    this.#endTrial();
    repush([...connections()].filter(({ client }) => proxyClassOf(client).id === proxies.id));
  }

  async #updateClass(classId: string): Promise<void> {
    const { served, catalogues } = this.#options;
    const catalogue = served.ofClass(classId);
    const substitutes = this.#refusals.substitutesOf(classId);
    if (substitutes.size > 0) served.setClass(classId, await catalogues.update(catalogue, substitutes));
    else if (catalogue !== undefined) {
      served.setClass(classId, undefined);
      catalogues.drop(catalogue);
    }
  }

  /** Refusals of deleted objects end. */
  #releaseDeleted(): void {
    const { currentOf, observer } = this.#options;
    for (const { proxies, refusals } of this.#refusals.classes) {
      const all = [...refusals.values()];
      const gone = all.filter(({ id, version }) => version !== undefined && currentOf(id) === undefined);
      const ids = gone.map(({ id }) => id);
      this.#refusals.release(proxies.id, ids);
      for (const id of ids) observer.objectReleased(id, proxies);
    }
  }

  #reviewLater(): void {
    if (this.#stopped) return;
    this.#cancelReview ??= this.#options.clock.after(reviewAfterMs, () => {
      this.#cancelReview = undefined;
      for (const connection of this.#options.connections()) {
        if (connection.verdict.type === "rejected") this.#rejected(connection);
      }
      for (const { proxies } of this.#refusals.classes) this.#tryAgain(proxies);
    });
  }
}

/** The resources that a proxy rejects now. */
function rejectedResources({ subscriptions }: Connection<Proxy>): readonly RejectedResources[] {
  return subscriptions.flatMap(rejectedIn).map(({ type, resources }) => ({ type, resources }));
}
