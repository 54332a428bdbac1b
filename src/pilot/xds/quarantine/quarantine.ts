import type { ConfigId } from "../../../config/config.ts";
import { errorFrom } from "../../../lib/errors.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { Catalogue } from "../catalogue.ts";
import { Acceptance, isSettled } from "./acceptance.ts";
import { buildReport } from "./build-report.ts";
import type { ChangedObject } from "./change-log.ts";
import { Conclusions } from "./conclusions.ts";
import { Judgement } from "./judgement.ts";
import { Operations } from "./operations.ts";
import type { QuarantineOptions } from "./quarantine-options.ts";
import { type AdoptedRefusal, Refusals, type RefusingScope } from "./refusals.ts";
import { Rejections } from "./rejections.ts";
import { Released } from "./released.ts";
import type { QuarantineReport, RefusalState, ReleaseResult, RetryResult } from "./report.ts";
import { Reviews } from "./reviews.ts";
import { Rollouts } from "./rollouts.ts";
import { covers, type Scope } from "./scope.ts";
import { ScopeMeshes } from "./scope-meshes.ts";
import { Searches } from "./searches.ts";
import { Serving } from "./serving.ts";
import type { Substitutes } from "./substituted-catalogues.ts";
import { Trials } from "./trials.ts";
import { Trust } from "./trust.ts";

/**
 * Keeps an object that a class of proxies refuses away from that class, so that it harms only itself. After a rejection
 * it searches for the object on the proxy that rejected (see {@link Searches}). From then on all proxies of the class get
 * the mesh with the accepted version of the object, or without it. When the object changes, one proxy gets it first, and
 * then the others in waves (see {@link Rollouts}).
 *
 * A rejection takes this way. {@link Rejections} lists the suspects. {@link Searches} runs one search at a time: a
 * `Finder` says which suspects the next probe tests, and `Probing` serves that mesh to the proxy and waits for its
 * verdict. {@link Judgement} decides for which proxies the result holds. {@link Conclusions} adds {@link Refusals}, or
 * starts a rollout. {@link Serving} brings the consequences to {@link ScopeMeshes} and the proxies. {@link Trials} begins
 * further searches: when an object changes, and when a second proxy has to confirm a refusal.
 *
 * This class connects the parts: it follows pushes and answers of proxies, and reports.
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
  readonly #trials: Trials;
  readonly #serving: Serving;
  readonly #rejections: Rejections;
  readonly #reviews: Reviews;
  readonly #operations: Operations;
  readonly #listeners: (() => void)[] = [];

  constructor(options: QuarantineOptions) {
    this.#options = options;
    const { clock, connections, currentOf } = options;
    const [accepted, refusals] = [this.#accepted, this.#refusals];
    const epoch = () => accepted.log.epoch;
    const released = new Released(currentOf);
    const trust = new Trust(clock, (node) => {
      conclusions.trustLost(node);
      this.#reviews.request();
    });
    const rollouts = new Rollouts({
      clock,
      connections,
      isTrusted: (node) => trust.isTrusted(node),
      mayTry: (connection) => this.#trials.mayTry(connection),
      isSearching: (classId) => this.#searches.has(classId),
      moved: ({ scope }) => this.#spawn(() => this.#serving.serve(scope)),
      ended: (rollout, end) => {
        this.#spawn(() => conclusions.endRollout(rollout, end));
        this.#reviews.request();
      },
    });
    const meshes = new ScopeMeshes({ ...options, refusals, rollouts });
    const judgement = new Judgement({ ...options, refusals, rollouts, trust });
    const parts = { ...options, accepted, refusals, released, trust, rollouts, meshes, judgement };
    const rejections = new Rejections({ ...parts, searches: () => this.#searches, trials: () => this.#trials });
    const searches = new Searches({
      ...options,
      epoch,
      insteadOf: (scope, id, before) => judgement.insteadOf(scope, id, before),
      othersFor: (next) => rejections.othersFor(next),
      isCurrent: (connection) => rejections.isCurrent(connection),
      conclude: (ended) => conclusions.conclude(ended),
      restore: (connection) => options.repush([connection]),
      idle: () => this.#reviews.request(),
    });
    const trials = new Trials({ ...parts, searches, epoch });
    const serving = new Serving(parts);
    const conclusions = new Conclusions({ ...parts, searches, trials, serving });
    this.#operations = new Operations({ ...parts, trials, serving });
    this.#reviews = new Reviews({ ...options, refusals, rejections, trials });
    this.#released = released;
    this.#trust = trust;
    this.#rollouts = rollouts;
    this.#meshes = meshes;
    this.#rejections = rejections;
    this.#searches = searches;
    this.#trials = trials;
    this.#serving = serving;
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

  /** The meshes beside that of the users: their names in {@link ServedCatalogues}, and what differs in them. */
  get meshes(): Iterable<readonly [name: string, substitutes: Substitutes]> {
    return this.#meshes.all();
  }

  /** All proxies have accepted the current versions of these objects. */
  async acceptedByAll(ids: Iterable<ConfigId>): Promise<void> {
    for (const id of ids) {
      for (const { scope, refusals } of this.scopes) if (refusals.has(id)) await this.forget(scope.id, id);
    }
  }

  /** The state of the quarantine now. */
  report(): QuarantineReport {
    return buildReport({
      connections: [...this.#options.connections()],
      scopes: this.scopes,
      stateOf: (scope, { id }) => this.#stateOf(scope, id),
      hasAlready: ({ classId }, { id }, node) =>
        this.#rollouts.has(classId, id) && this.#rollouts.of(classId)?.nodes.has(node) === true,
      released: this.#released.all,
      search: this.#searches.current,
      untrusted: this.#trust.untrusted,
    });
  }

  /** Tries the current version of a refused object again, or of all refused objects. */
  retry(id?: ConfigId): RetryResult {
    const result = this.#operations.retry(id);
    this.#reviews.request();
    return result;
  }

  /** Serves the current version of an object to everybody, although proxies refused it. */
  release(id: ConfigId): Promise<ReleaseResult> {
    return this.#operations.release(id);
  }

  /** Calls back whenever a refusal begins, changes or ends. */
  onRefusalsChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Takes over refusals that this server found before its restart, or that another replica found. */
  async adopt(adopted: readonly AdoptedRefusal[]): Promise<void> {
    await this.#operations.adopt(adopted);
    this.#reviews.request();
  }

  /** Another replica serves the object to the class again. */
  forget(classId: string, id: ConfigId): Promise<void> {
    return this.#operations.forget(classId, id);
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
    this.#operations.addArrived();
    this.#serving.removeOutdated();
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
    if (verdict === "nack") return this.#rejections.search(connection);
    this.#rejections.acceptedHalf(connection);
    if (!this.#isSettled(connection)) return;
    this.#accepted.settled(connection);
    const scopes = this.scopes.filter(({ scope }) => covers(scope, connection.client));
    for (const { scope } of scopes) this.#trials.tryAgain(scope);
    if (scopes.length > 0) this.#reviews.request();
  }

  gone(connection: Connection<Proxy>): void {
    this.#searches.answered(connection);
    this.#accepted.gone(connection);
    this.#trust.left(connection.client.nodeId);
    const isLast = Iterator.from(this.#options.connections()).every((each) => each === connection);
    if (isLast && this.#serving.removeOutdated()) this.#spawn(() => this.#options.inTurn(() => this.#meshes.update()));
  }

  /** Ends the current search and all rollouts, and begins no others. */
  stop(): void {
    this.#searches.stop();
    this.#rollouts.stop();
    this.#reviews.stop();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
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
}
