import { errorFrom } from "../../../lib/errors.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { contentOf, planOf } from "../../registry/rollout/staged-change.ts";
import type { StoredChange } from "../../registry/rollout/staging.ts";
import { Candidates } from "./candidates.ts";
import { chooseProxies } from "./choose-proxies.ts";
import { gateVerdict } from "./gate-verdict.ts";
import { isReached } from "./membership.ts";
import {
  began,
  isSameState,
  nextOf,
  type RolloutEventType,
  type SavedRollout,
  type StagedRollout,
  withEvent,
} from "./staged-rollout.ts";
import type { StagedRolloutsOptions } from "./staged-rollouts-options.ts";
import { WaveProgress } from "./wave-progress.ts";

/** Objects of one change may arrive one after the other. */
const quietMs = 1_000;
const lookEveryMs = 1_000;
const askEveryMs = 5_000;
/** So long after its start a server skips no wave without a proxy. */
const reconnectMs = 60_000;
/** Older rollouts are forgotten. */
const maxEnded = 20;

/**
 * Brings staged changes to the proxies in waves, one change at a time. The proxies of the waves so far get a mesh with
 * the change, all others the users' mesh, which has the stable versions. A wave ends when its proxies have accepted the
 * change, its time is over and its gate is open. A rejection, a gate above its limit and a wave without an answer halt
 * the rollout: then all proxies have the stable versions, until an object changes.
 */
export class StagedRollouts {
  readonly #options: StagedRolloutsOptions;
  readonly #candidates: Candidates;
  readonly #rollouts = new Map<string, StagedRollout>();
  readonly #ended: StagedRollout[] = [];
  readonly #listeners: (() => void)[] = [];
  #progress: WaveProgress | undefined;
  /** Everybody is about to get this change with the next push, and proxies of its waves still have it as a candidate. */
  #finishing: StagedRollout | undefined;
  /** Parts that the delivered change may alter, by their keys. */
  #changedParts: ReadonlySet<string> = new Set();
  #openedAt = 0;
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(options: StagedRolloutsOptions) {
    this.#options = options;
    this.#candidates = new Candidates(options);
    options.staging.onChanged(() => this.#staged());
  }

  /** In the order in which they are delivered. */
  get rollouts(): readonly StagedRollout[] {
    return [...this.#rollouts.values()];
  }

  /** Rollouts that ended, the newest last. */
  get ended(): readonly StagedRollout[] {
    return this.#ended;
  }

  /** The answers to the current wave; undefined for other rollouts. */
  progressOf(rollout: StagedRollout): WaveProgress | undefined {
    return this.#current?.change.id === rollout.change.id ? this.#progress : undefined;
  }

  /** The proxies that have a change which others do not have yet. */
  reachedBy(rollout: StagedRollout): readonly Connection<Proxy>[] {
    if (rollout.phase === "waiting" || rollout.phase === "halted") return [];
    return [...this.#options.connections()].filter(({ client }) => isReached(rollout, client));
  }

  /** Calls back whenever a rollout begins, moves or ends. */
  onChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The users' mesh was published. Brings the mesh with the change to the same state. */
  async published(): Promise<void> {
    if (!this.#candidates.isEmpty) await this.#serve();
  }

  /** A proxy sent an ACK or NACK. ACKs are looked at together, later. */
  answered({ client }: Connection<Proxy>, verdict: "ack" | "nack"): void {
    const current = this.#current;
    if (verdict === "nack" && current !== undefined && current.wave > 0 && isReached(current, client)) this.#look();
  }

  gone({ client }: Connection<Proxy>): void {
    const current = this.#current;
    if (current === undefined || !isReached(current, client)) return;
    const reason = this.#progress?.left(client.nodeId);
    if (reason !== undefined) this.#halt(current, reason);
  }

  /** No further wave begins. */
  pause(id: string): boolean {
    return this.#command(id, ["delivering", "waiting"], (rollout) =>
      this.#move({ ...rollout, phase: "paused" }, "paused"),
    );
  }

  /** Goes on with a paused rollout, or begins a halted one anew. */
  resume(id: string): boolean {
    return this.#command(id, ["paused", "halted"], (rollout) => {
      const resumed = { ...rollout, reason: "", since: this.#options.clock.now() };
      if (rollout.phase === "paused" && rollout.wave > 0) this.#move({ ...resumed, phase: "delivering" }, "resumed");
      else this.#move({ ...resumed, phase: "waiting", wave: 0, chosen: new Set() }, "resumed");
      this.#next();
    });
  }

  /** All proxies get the stable versions, until an object changes. */
  abort(id: string): boolean {
    return this.#command(id, ["waiting", "delivering", "paused"], (rollout) =>
      this.#halt(rollout, "aborted by an operator"),
    );
  }

  /** All proxies get the change at once. */
  promote(id: string): boolean {
    return this.#command(id, ["waiting", "delivering", "paused", "halted"], (rollout) => this.#finish(rollout));
  }

  /** Holds a change again that was held before a restart. Proxies are not connected yet. */
  restore(change: StoredChange): void {
    this.#options.staging.restore(change);
  }

  /** Takes over the state of another process: of this server before its restart, or of a replica. */
  async adopt({ id, ...saved }: SavedRollout): Promise<void> {
    const own = this.#rollouts.get(id);
    if (own === undefined || own.content !== saved.content || isSameState(own, saved)) return;
    if (saved.phase === "halted") return this.#halt(own, saved.reason);
    const current = this.#current;
    const isActive = saved.wave > 0;
    if (isActive && current !== undefined && current.change.id !== id) return;
    if (!isActive) this.#takeBack(own);
    const next = { ...own, ...saved };
    this.#rollouts.set(id, next);
    if (isActive) {
      this.#progress = new WaveProgress(this.#options.clock.now(), [], saved.chosen);
      await this.#deliver(next);
    }
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** The server starts to serve proxies. */
  opened(): void {
    this.#openedAt = this.#options.clock.now();
  }

  /** Proxies of a wave may not have connected again yet. */
  get #isStarting(): boolean {
    return this.#options.clock.now() - this.#openedAt < reconnectMs;
  }

  /** The rollout whose change some proxies have, or get next. A paused one keeps its place. */
  get #current(): StagedRollout | undefined {
    return this.#rollouts
      .values()
      .find(({ phase, wave }) => phase === "delivering" || (phase === "paused" && wave > 0));
  }

  #command(id: string, phases: readonly StagedRollout["phase"][], run: (rollout: StagedRollout) => void): boolean {
    const rollout = this.#rollouts.get(id);
    if (rollout === undefined || !phases.includes(rollout.phase)) return false;
    run(rollout);
    return true;
  }

  /** Held changes came, went or differ. */
  #staged(): void {
    const { changes } = this.#options.staging;
    const { clock } = this.#options;
    for (const [id, rollout] of this.#rollouts) {
      if (!changes.has(id)) this.#end(rollout, "withdrawn");
    }
    for (const [id, change] of changes) {
      const before = this.#rollouts.get(id);
      if (before !== undefined && before.content === contentOf(change)) {
        this.#rollouts.set(id, { ...before, change, plan: planOf(change) });
        continue;
      }
      if (before !== undefined) this.#takeBack(before);
      const [now, events] = [clock.now(), before?.events ?? []];
      const phase = before?.phase === "paused" ? "paused" : "waiting";
      this.#move({ ...began(change, now), phase, events }, before === undefined ? "started" : "changed");
    }
    this.#next();
  }

  /** Looks at the waves from now on, as long as there is one. */
  #next(): void {
    if (this.#isStopped || this.#cancel !== undefined) return;
    if (this.#rollouts.values().every(({ phase }) => phase === "paused" || phase === "halted")) return;
    this.#cancel = this.#options.clock.after(lookEveryMs, () => {
      this.#cancel = undefined;
      this.#look();
      this.#next();
    });
  }

  #look(): void {
    const current = this.#current;
    if (current === undefined) return this.#begin();
    const { clock, connections, served, isQueued } = this.#options;
    const progress = this.#progress;
    if (progress === undefined || current.phase === "paused") return;
    const now = clock.now();
    const members = this.reachedBy(current);
    const isServed = (each: Connection<Proxy>) =>
      !isQueued(each) && !served.isOnTrial(each.client) && served.isCurrent(each);
    const failure = progress.look({ now, members, isServed });
    if (failure !== undefined) return this.#halt(current, failure);
    this.#askGate(current, progress, now);
    const [any] = connections();
    if (any === undefined) return;
    if (progress.isDeserted) return this.#isStarting ? undefined : this.#enter(current);
    const { acceptedAt } = progress;
    if (acceptedAt === undefined || now - acceptedAt < current.plan.waitMs) return;
    const gate = gateVerdict(current.plan, progress.gate, { acceptedAt, now });
    if (gate.type === "open") this.#advance(current);
    else if (gate.type === "failed") this.#halt(current, gate.reason);
  }

  /** Begins the first rollout that waits. */
  #begin(): void {
    const now = this.#options.clock.now();
    if (this.#finishing !== undefined) return;
    const waiting = this.#rollouts.values().find(({ phase }) => phase === "waiting");
    if (waiting === undefined || now - waiting.since < quietMs) return;
    const [any] = this.#options.connections();
    if (any === undefined) return;
    const begun: StagedRollout = { ...waiting, phase: "delivering", wave: 0 };
    this.#rollouts.set(begun.change.id, begun);
    this.#spawn(begun, async () => {
      await this.#options.inTurn(async () => {
        this.#changedParts = this.#options.catalogues.partsChangedBy(nextOf(begun.change));
      });
      if (this.#isStill(begun)) this.#advance(begun);
    });
  }

  /** The next wave with a connected proxy, or everybody. */
  #advance(rollout: StagedRollout): void {
    const wave = rollout.wave + 1;
    if (wave > rollout.plan.waves.length) return this.#finish(rollout);
    this.#enter({ ...rollout, wave });
  }

  #enter(rollout: StagedRollout): void {
    const { clock, connections } = this.#options;
    const chosen = new Set([...rollout.chosen, ...chooseProxies(rollout, connections(), this.#changedParts)]);
    const next = { ...rollout, chosen, since: clock.now() };
    const members = this.reachedBy(next);
    const before = this.reachedBy({ ...rollout, wave: rollout.wave - 1 });
    if (members.length === before.length && !this.#isStarting) return this.#advance(next);
    const rejecting = [...connections()].filter((each) => each.verdict.type === "rejected" && !before.includes(each));
    const excused = rejecting.map(({ client }) => client.nodeId);
    this.#progress = new WaveProgress(clock.now(), excused);
    this.#move(next, "wave");
    this.#spawn(next, () => this.#deliver(next));
  }

  async #deliver(rollout: StagedRollout): Promise<void> {
    const { inTurn, repush } = this.#options;
    await inTurn(async () => {
      if (this.#isStill(rollout)) await this.#serve();
    });
    const current = this.#current;
    if (current !== undefined) repush(this.reachedBy(current));
  }

  /** Brings the mesh with the change to the current one. */
  async #serve(): Promise<void> {
    const rollout = this.#finishing ?? this.#current;
    if (rollout === undefined || rollout.wave === 0) return this.#candidates.drop();
    await this.#candidates.serve(nextOf(rollout.change), (proxy) => isReached(rollout, proxy));
  }

  #finish(rollout: StagedRollout): void {
    const { staging, accepted, caughtUp, inTurn, repush } = this.#options;
    const { id, objects } = rollout.change;
    // Somebody may promote another rollout than the current one: the proxies of that one keep their mesh.
    const isCurrent = this.#current?.change.id === id;
    if (isCurrent) [this.#finishing, this.#progress] = [rollout, undefined];
    const reached = this.reachedBy(rollout);
    this.#rollouts.delete(id);
    this.#remember(this.#noted(rollout, "finished"));
    staging.finish(id);
    this.#spawn(rollout, async () => {
      await caughtUp();
      accepted(objects.keys());
      if (!isCurrent) return;
      this.#finishing = undefined;
      this.#candidates.end();
      await inTurn(() => this.#serve());
      repush(reached);
    });
    this.#next();
  }

  #halt(rollout: StagedRollout, reason: string): void {
    this.#takeBack(rollout);
    const { clock } = this.#options;
    const halted: StagedRollout = { ...rollout, phase: "halted", chosen: new Set(), since: clock.now(), reason };
    this.#move(halted, "halted");
    this.#next();
  }

  #end(rollout: StagedRollout, type: "withdrawn"): void {
    this.#takeBack(rollout);
    this.#rollouts.delete(rollout.change.id);
    this.#remember(this.#noted(rollout, type));
  }

  /** From their next lease on, all proxies get the stable versions. */
  #takeBack(rollout: StagedRollout): void {
    if (rollout.wave === 0 || rollout.phase === "halted") return;
    const reached = this.reachedBy(rollout);
    this.#progress = undefined;
    this.#candidates.end();
    this.#options.repush(reached);
    this.#spawn(rollout, () => this.#options.inTurn(() => this.#serve()));
  }

  #askGate(rollout: StagedRollout, progress: WaveProgress, now: number): void {
    const { gate } = rollout.plan;
    if (gate === undefined || now - (progress.askedAt ?? -Infinity) < askEveryMs) return;
    progress.askedAt = now;
    this.#spawn(rollout, async () => {
      const answer = await this.#options.ask(gate);
      if (this.#progress !== progress) return;
      progress.gate = { answer, askedAt: now };
      const current = this.#current;
      if (answer.type === "above" && current !== undefined) {
        this.#halt(current, `the query gives ${answer.value}, and at most ${gate.most} is allowed`);
      }
    });
  }

  #isStill({ change, wave, phase }: StagedRollout): boolean {
    const now = this.#rollouts.get(change.id);
    return now?.change === change && now.wave === wave && now.phase === phase;
  }

  #move(rollout: StagedRollout, type: RolloutEventType): void {
    this.#rollouts.set(rollout.change.id, this.#noted(rollout, type));
    for (const listener of this.#listeners) listener();
  }

  #noted(rollout: StagedRollout, type: RolloutEventType): StagedRollout {
    const { clock, observer } = this.#options;
    const proxies = this.reachedBy(rollout).length;
    const event = { type, at: clock.now(), wave: rollout.wave, proxies, reason: rollout.reason };
    observer.rolloutMoved(rollout.change.id, event);
    return withEvent(rollout, event);
  }

  #remember(rollout: StagedRollout): void {
    this.#ended.push(rollout);
    if (this.#ended.length > maxEnded) this.#ended.shift();
    for (const listener of this.#listeners) listener();
  }

  #spawn({ change }: StagedRollout, work: () => Promise<void>): void {
    work().catch((thrown: unknown) => this.#options.observer.rolloutFailed(change.id, errorFrom(thrown)));
  }
}
