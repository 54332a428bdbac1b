import type { Config, ConfigId } from "../../../config/config.ts";
import { errorFrom } from "../../../lib/errors.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Catalogue } from "../catalogue.ts";
import { Acceptance, isSettled } from "./acceptance.ts";
import { buildReport } from "./build-report.ts";
import type { ChangedObject } from "./change-log.ts";
import { Judgement } from "./judgement.ts";
import type { QuarantineOptions } from "./quarantine-options.ts";
import { type Refusal, Refusals, type RefusingScope } from "./refusals.ts";
import { Released } from "./released.ts";
import type { QuarantineReport, RefusalState, ReleaseResult, RetryResult } from "./report.ts";
import { type Rollout, type RolloutEnd, Rollouts } from "./rollouts.ts";
import { ScopeMeshes } from "./scope-meshes.ts";
import { classScope, covers, nodeScopeIdOf, type Scope } from "./scope.ts";
import { type Case, type EndedSearch, Searches } from "./searches.ts";
import { suspectLists } from "./suspects.ts";
import { Trials } from "./trials.ts";
import { Trust } from "./trust.ts";

/** A refusal from a store. */
export interface AdoptedRefusal extends Omit<Refusal, "instead"> {
  readonly scope: Scope;
  /** The version that the proxies accepted before. */
  readonly accepted: Config | undefined;
}

/** After a search the server looks once more for rejections that came meanwhile, and for refusals to confirm. */
const reviewAfterMs = 1_000;

/**
 * Keeps an object that a class of proxies refuses away from that class, so that it harms only itself. After a rejection
 * it searches for the object on the proxy that rejected (see {@link Searches}). From then on all proxies of the class get
 * the mesh with the accepted version of the object, or without it. When the object changes, one proxy gets it first, and
 * then the others in waves (see {@link Rollouts}).
 */
export class Quarantine {
  readonly #options: QuarantineOptions;
  readonly #accepted = new Acceptance();
  readonly #refusals = new Refusals(() => this.#notify());
  readonly #released: Released;
  readonly #trust: Trust;
  readonly #searches: Searches;
  readonly #rollouts: Rollouts;
  readonly #meshes: ScopeMeshes;
  readonly #judgement: Judgement;
  readonly #trials: Trials;
  readonly #listeners: (() => void)[] = [];
  #cancelReview: Cancel | undefined;
  #stopped = false;

  constructor(options: QuarantineOptions) {
    this.#options = options;
    const { clock, connections, currentOf } = options;
    this.#trust = new Trust(clock);
    this.#released = new Released(currentOf);
    this.#rollouts = new Rollouts({
      clock,
      connections,
      isTrusted: (node) => this.#trust.isTrusted(node),
      isSearching: (classId) => this.#searches.has(classId),
      moved: ({ scope }) => this.#spawn(() => this.#serve(scope)),
      ended: (rollout, end) => this.#spawn(() => this.#endRollout(rollout, end)),
    });
    const [refusals, rollouts] = [this.#refusals, this.#rollouts];
    this.#meshes = new ScopeMeshes({ ...options, refusals, rollouts });
    this.#judgement = new Judgement({ ...options, refusals, trust: this.#trust });
    this.#searches = new Searches({
      ...options,
      epoch: () => this.#accepted.log.epoch,
      insteadOf: (scope, id, accepted) => this.#judgement.insteadOf(scope, id, accepted),
      othersFor: (next) => this.#othersFor(next),
      isCurrent: ({ verdict, client }) =>
        this.#accepted.log.isPublished && options.served.isCurrent(client) && verdict.type === "rejected",
      conclude: (ended) => this.#conclude(ended),
      restore: (connection) => options.repush([connection]),
      idle: () => this.#reviewLater(),
    });
    const [searches, trust, epoch] = [this.#searches, this.#trust, () => this.#accepted.log.epoch];
    this.#trials = new Trials({ ...options, refusals, rollouts, searches, trust, epoch });
  }

  /** Every class and proxy that refuses something. */
  get scopes(): readonly RefusingScope[] {
    return this.#refusals.scopes;
  }

  /** How many proxies owe an answer. */
  get unsettled(): number {
    return this.#accepted.unsettled.length;
  }

  /** The catalogues of meshes beside that of the users. */
  get catalogues(): readonly Catalogue[] {
    return this.#options.catalogues.all;
  }

  /** The state of the quarantine now. */
  report(): QuarantineReport {
    return buildReport({
      connections: this.#options.connections(),
      scopes: this.scopes,
      stateOf: (scope, { id }) => this.#stateOf(scope, id),
      servedTo: ({ classId }, { id }) =>
        this.#rollouts.has(classId, id) ? (this.#rollouts.of(classId)?.nodes.size ?? 0) : 0,
      released: this.#released.all,
      search: this.#searches.current,
      untrusted: this.#trust.untrusted,
    });
  }

  /** Tries the current version of a refused object again, or of all refused objects. */
  retry(id?: ConfigId): RetryResult {
    const refusing = this.scopes.filter(({ refusals }) => id === undefined || refusals.has(id));
    if (refusing.length === 0) return { type: "not refused" };
    const tried = new Set<ConfigId>();
    for (const { scope, refusals } of refusing) {
      const wanted = [...refusals.values()].filter((each) => id === undefined || each.id === id);
      for (const each of this.#trials.try(scope, wanted)) tried.add(each);
    }
    return tried.size === 0 ? { type: "no proxy" } : { type: "started", objects: [...tried] };
  }

  /**
   * Serves the current version of an object to everybody, although proxies refused it. This version is never refused
   * again. A later version is.
   */
  async release(id: ConfigId): Promise<ReleaseResult> {
    const refusing = this.scopes.filter(({ refusals }) => refusals.has(id));
    if (refusing.length === 0) return { type: "not refused" };
    for (const { scope, refusals } of refusing) {
      this.#accepted.noteRelease(scope.classId, id, refusals.get(id)?.instead.objects.get(id));
      this.#released.add(scope, id);
      this.#remove(scope, [id]);
      await this.#serve(scope);
    }
    return { type: "released", classes: refusing.map(({ scope }) => scope.id) };
  }

  /** Calls back whenever a refusal begins, changes or ends. */
  onRefusalsChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Takes over refusals that this server found before its restart, or that another replica found. */
  async adopt(adopted: readonly AdoptedRefusal[]): Promise<void> {
    const { currentOf, insteadOf } = this.#options;
    const usable = adopted.filter(({ scope, id, version }) => {
      const isGone = version !== undefined && currentOf(id) === undefined;
      return !isGone && !this.#released.has(scope.classId, id) && !this.#rollouts.has(scope.classId, id);
    });
    for (const { scope, accepted, ...refusal } of usable) {
      const instead = insteadOf(refusal.id, currentOf(refusal.id), accepted);
      this.#refusals.add(scope, [{ ...refusal, instead }]);
    }
    for (const scope of new Map(usable.map((each) => [each.scope.id, each.scope])).values()) await this.#serve(scope);
  }

  /** Another replica serves the object to the class again. */
  async forget(classId: string, id: ConfigId): Promise<void> {
    const found = this.scopes.find(({ scope, refusals }) => scope.id === classId && refusals.has(id));
    if (found === undefined) return;
    const { instead } = found.refusals.get(id) ?? {};
    this.#accepted.noteRelease(classId, id, instead?.objects.get(id));
    this.#remove(found.scope, [id]);
    await this.#serve(found.scope);
  }

  /** Users' objects have changed. Without connections nobody has accepted anything. */
  changed(changes: Iterable<ChangedObject>): void {
    const [any] = this.#options.connections();
    if (any !== undefined) this.#accepted.log.note(changes);
  }

  /** A push contains all changes so far. A proxy that owes no answer has accepted everything before it. */
  captured(): void {
    const { served } = this.#options;
    for (const connection of this.#accepted.unsettled) {
      if (!served.isOnTrial(connection.client) && this.#isSettled(connection)) this.#accepted.settled(connection);
    }
    this.#accepted.log.captured();
  }

  /** The users' mesh was published. Brings the meshes of all classes to the same state. */
  async published(): Promise<void> {
    this.#released.forgetChanged();
    for (const { scope, refusals } of this.scopes) this.#remove(scope, this.#deleted(refusals.values()));
    await this.#meshes.update();
    this.#accepted.published();
    for (const { scope } of this.scopes) this.#trials.tryAgain(scope);
  }

  /** A response leaves to a proxy. */
  sent(connection: Connection<Proxy>): void {
    this.#accepted.sent(connection);
  }

  /** A proxy sent an ACK or NACK. */
  answered(connection: Connection<Proxy>, verdict: "ack" | "nack"): void {
    this.#searches.answered(connection);
    if (this.#options.served.isOnTrial(connection.client)) return;
    if (verdict === "nack") return this.#rejected(connection);
    if (!this.#isSettled(connection)) return;
    this.#accepted.settled(connection);
    for (const { scope } of this.scopes) if (covers(scope, connection.client)) this.#trials.tryAgain(scope);
  }

  gone(connection: Connection<Proxy>): void {
    this.#searches.answered(connection);
    this.#accepted.gone(connection);
    this.#trust.left(connection.client.nodeId);
  }

  /** Ends the current search and all rollouts, and begins no others. */
  stop(): void {
    this.#stopped = true;
    this.#searches.stop();
    this.#rollouts.stop();
    this.#cancelReview?.();
  }

  #rejected(connection: Connection<Proxy>): void {
    const { connections, served } = this.#options;
    const scope = classScope(connection.client);
    if (this.#searches.has(scope.classId) || !this.#trials.mayTry(connection)) return;
    // A NACK of an older response, or of resources that the class no longer gets, says nothing.
    const { verdict } = connection;
    if (verdict.type !== "rejected" || !served.isCurrent(connection.client)) return;
    const { reason: rejection } = verdict;
    const changed = this.#accepted.changedFor(connection, connections());
    const known = [this.#refusals.of(scope.id), this.#refusals.of(nodeScopeIdOf(scope.id, connection.client.nodeId))];
    const refused = {
      has: (id: ConfigId) => known.some((each) => each.has(id)) || this.#released.has(scope.classId, id),
    };
    const named = (suspects: readonly ConfigId[]) => this.#searches.named(rejection, suspects);
    const lists = [...this.#rolledOutTo(connection), ...suspectLists(connection, { changed, refused, named })];
    // A change that is not published yet may mend the resources that the proxy rejected.
    const isCurrent = this.#accepted.log.isPublished;
    if (lists.length > 0) this.#searches.add({ connection, scope, lists, ...(isCurrent && { rejection }) });
  }

  /** The objects that this proxy got before the others of its class. */
  #rolledOutTo({ client }: Connection<Proxy>): Case["lists"] {
    const rollout = this.#rollouts.of(classScope(client).classId);
    if (rollout?.nodes.has(client.nodeId) !== true) return [];
    return [new Map(Array.from(rollout.objects.keys(), (id) => [id, undefined]))];
  }

  /** Substitutes that are no matter of the search: refused objects, and objects that change while it runs. */
  #othersFor({ connection, scope }: Case): () => ReadonlyMap<ConfigId, Config | undefined> {
    const { nodeId } = connection.client;
    const startedAt = this.#accepted.log.epoch;
    const own = { id: nodeScopeIdOf(scope.classId, nodeId), classId: scope.classId };
    const isInRollout = () => this.#rollouts.of(scope.classId)?.nodes.has(nodeId) === true;
    return () => {
      const substitutes = isInRollout()
        ? this.#meshes.rolloutSubstitutes(scope.classId)
        : this.#refusals.substitutesOf(own);
      return new Map([...substitutes, ...(this.#accepted.log.since(startedAt) ?? [])]);
    };
  }

  async #conclude(ended: EndedSearch): Promise<void> {
    const { connection, scope, found } = ended;
    const { nodeId } = connection.client;
    if (found === undefined) {
      this.#trials.notFound(connection);
      // Released objects, and objects that a proxy holds from an earlier stream, are never suspects.
      const isExcused = connection.resumed || this.#released.isAnyOf(scope.classId);
      if (!isExcused) this.#trust.failed(nodeId);
      return;
    }
    this.#trust.succeeded(nodeId);
    this.#accepted.acceptedUntil(connection, ended.startedAt);
    const { refused, accepted } = this.#judgement.on({ ...ended, found });
    for (const { scope: refusing, refusal } of refused) {
      this.#refusals.add(refusing, [refusal]);
      this.#options.observer.objectQuarantined(refusal, refusing);
    }
    // A class refuses for all of its proxies.
    for (const { scope: other } of this.scopes) {
      if (other.classId !== scope.classId || other.node === undefined) continue;
      this.#refusals.remove(other.id, this.#refusals.of(scope.classId).keys());
    }
    this.#rollouts.drop(
      scope.classId,
      refused.map(({ refusal }) => refusal.id),
    );
    if (accepted.size > 0 && scope.node === undefined) this.#rollouts.start(scope, accepted, nodeId);
    else this.#remove(scope, accepted.keys());
    // Otherwise the proxy of the search would get the last probe again.
    await this.#serve(scope, () => this.#searches.endTrial());
  }

  /** All proxies of a class have accepted the objects, or the proxies of a wave did not answer. */
  async #endRollout({ scope, objects }: Rollout, end: RolloutEnd): Promise<void> {
    const { currentOf } = this.#options;
    for (const [id, config] of objects) {
      const refusal = this.#refusals.of(scope.id).get(id);
      if (refusal === undefined) continue;
      if (end === "not answered") {
        const reason = "proxies that got the object did not accept it in time";
        this.#refusals.add(scope, [{ ...refusal, version: config?.version, reason }]);
        continue;
      }
      this.#accepted.noteRelease(scope.classId, id, config);
      if (currentOf(id)?.version === config?.version) this.#remove(scope, [id]);
      else this.#refusals.add(scope, [{ ...refusal, instead: this.#options.insteadOf(id, currentOf(id), config) }]);
    }
    await this.#serve(scope);
    this.#trials.tryAgain(scope);
  }

  /** Refusals end. */
  #remove(scope: Scope, ids: Iterable<ConfigId>): void {
    const known = [...ids].filter((id) => this.#refusals.of(scope.id).has(id));
    this.#refusals.remove(scope.id, known);
    this.#rollouts.drop(scope.classId, known);
    for (const id of known) this.#options.observer.objectReleased(id, scope);
  }

  /** Brings the meshes to the refusals, and pushes to the proxies of the class. A proxy on trial stays on trial. */
  async #serve({ classId }: Scope, beforePush: () => void = () => undefined): Promise<void> {
    const { inTurn, repush, connections } = this.#options;
    await inTurn(() => this.#meshes.update());
    beforePush();
    repush([...connections()].filter(({ client }) => classScope(client).classId === classId));
  }

  /** Objects that are gone. A refused absence ends when the object is back. */
  #deleted(refusals: Iterable<Refusal>): readonly ConfigId[] {
    const { currentOf } = this.#options;
    const gone = [...refusals].filter(({ id, version }) => version !== undefined && currentOf(id) === undefined);
    return gone.map(({ id }) => id);
  }

  #isSettled(connection: Connection<Proxy>): boolean {
    return isSettled(connection, this.#refusals.isEmpty);
  }

  #stateOf(scope: Scope, id: ConfigId): RefusalState {
    const rollout = this.#rollouts.of(scope.classId);
    if (scope.node === undefined && rollout?.objects.has(id) === true) {
      return { type: "wave", wave: rollout.wave, waves: rollout.waves };
    }
    const open = this.#searches.of(scope.classId);
    const isTried = open?.lists.some((list) => list.has(id)) === true;
    return isTried ? { type: "being tried", node: open.connection.client.nodeId } : { type: "refused" };
  }

  #spawn(work: () => Promise<void>): void {
    work().catch((thrown: unknown) => this.#options.observer.searchFailed(errorFrom(thrown)));
  }

  #reviewLater(): void {
    if (this.#stopped) return;
    this.#cancelReview ??= this.#options.clock.after(reviewAfterMs, () => {
      this.#cancelReview = undefined;
      this.#review();
    });
  }

  #review(): void {
    for (const connection of this.#options.connections()) {
      if (connection.verdict.type === "rejected") this.#rejected(connection);
    }
    for (const { scope } of this.scopes) {
      this.#trials.tryAgain(scope);
      this.#trials.confirm(scope);
      if (this.#trials.unconfirmed(scope).length > 0) this.#reviewLater();
    }
  }
}
