import type { ConfigId } from "../../../config/config.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { contentOf, planOf, type StagedChange } from "../../registry/rollout/staged-change.ts";
import type { ArrivedChange, StoredChange } from "../../registry/rollout/staging.ts";
import { isReached } from "./membership.ts";
import { type ObjectRollout, objectRollout } from "./object-rollout.ts";
import { type RolloutCommand, runCommand } from "./rollout-commands.ts";
import { editOf, type Told } from "./rollout-event.ts";
import { began, isSameState, type SavedRollout, type StagedRollout } from "./staged-rollout.ts";
import type { StagedRolloutsOptions } from "./staged-rollouts-options.ts";
import type { WaveProgress } from "./wave-progress.ts";
import { WaveSteps } from "./wave-steps.ts";

/**
 * Brings staged changes to the proxies in waves, one change at a time. The proxies of the waves so far get a mesh with
 * the change, all others the users' mesh, which has the stable versions. A wave ends when its proxies have accepted the
 * change, its time is over and its gate is open. A rejection, a gate above its limit and a wave without an answer halt
 * the rollout: then all proxies have the stable versions, until an object changes.
 */
export class StagedRollouts {
  readonly #options: StagedRolloutsOptions;
  readonly #steps: WaveSteps;

  constructor(options: StagedRolloutsOptions) {
    this.#options = options;
    this.#steps = new WaveSteps(options);
    options.staging.onChanged(() => this.#staged());
  }

  /** In the order in which they are delivered. */
  get rollouts(): readonly StagedRollout[] {
    return this.#steps.register.all;
  }

  /** The rollout whose change the proxies of its waves have. */
  get current(): StagedRollout | undefined {
    return this.#steps.register.current;
  }

  /** Rollouts that ended, the newest last. */
  get ended(): readonly StagedRollout[] {
    return this.#steps.register.ended;
  }

  /** The answers to the current wave; undefined for other rollouts. */
  progressOf(rollout: StagedRollout): WaveProgress | undefined {
    return this.#steps.register.isCurrent(rollout) ? this.#steps.watch.progress : undefined;
  }

  /** The proxies that have a change which others do not have yet. */
  reachedBy(rollout: StagedRollout): readonly Connection<Proxy>[] {
    return this.#steps.register.reachedBy(rollout);
  }

  /** The rollout that holds an object back. */
  ofObject(id: ConfigId): ObjectRollout | undefined {
    const { register, watch } = this.#steps;
    const rollout = register.all.find(({ change }) => change.objects.has(id));
    if (rollout === undefined) return undefined;
    const reached = new Set(register.reachedBy(rollout).map(({ client }) => client.nodeId));
    const progress = register.isCurrent(rollout) ? watch.progress : undefined;
    const hasAccepted = (node: string) => progress?.hasAccepted(node) ?? false;
    return objectRollout(rollout, id, { current: register.current, reached, hasAccepted });
  }

  /** Divides changes, as if they happened now: those that pass at once, and those that wait. */
  preview(changes: readonly ArrivedChange[]) {
    return this.#options.staging.preview(changes);
  }

  /** Calls back whenever a rollout begins, moves or ends. */
  onChanged(listener: () => void): void {
    this.#steps.register.onChanged(listener);
  }

  /** The users' mesh was published. Brings the mesh with the change to the same state. */
  async published(): Promise<void> {
    await this.#steps.delivery.published();
  }

  /** A proxy sent an ACK or NACK. ACKs are looked at together, later. */
  answered({ client }: Connection<Proxy>, verdict: "ack" | "nack"): void {
    const { current } = this.#steps.register;
    if (verdict === "nack" && current !== undefined && current.wave > 0 && isReached(current, client)) {
      this.#steps.look();
    }
  }

  gone({ client }: Connection<Proxy>): void {
    const { current } = this.#steps.register;
    if (current === undefined || !isReached(current, client)) return;
    const halt = this.#steps.watch.progress?.left(client.nodeId);
    if (halt !== undefined) this.#steps.halt(current, halt);
  }

  /** An operator commands a rollout. False if there is none of this id, or its phase does not allow it. */
  command(command: RolloutCommand, id: string, order: Partial<Told> = {}): boolean {
    return runCommand(this.#steps, command, id, { by: "an operator", reason: "", ...order });
  }

  /** Another replica gave the change to everybody. */
  finishedElsewhere(id: string): void {
    const rollout = this.#steps.register.of(id);
    if (rollout !== undefined) this.#steps.finish(rollout, { by: "another replica", reason: "" });
  }

  /** Holds a change again that was held before a restart. Proxies are not connected yet. */
  restore(change: StoredChange): void {
    this.#options.staging.restore(change);
  }

  /** Takes over the state of another process: of this server before its restart, or of a replica. */
  async adopt({ id, ...saved }: SavedRollout): Promise<void> {
    const { register, watch, delivery } = this.#steps;
    const own = register.of(id);
    if (own === undefined || own.content !== saved.content || isSameState(own, saved)) return;
    const isActive = saved.wave > 0 && saved.phase !== "halted";
    if (isActive && register.current !== undefined && !register.isCurrent(own)) return;
    if (!isActive) this.#steps.takeBack(own);
    const next = { ...own, ...saved };
    register.adopt(next);
    if (isActive) {
      watch.goOn(saved.chosen);
      await delivery.deliver(next);
    }
    this.#steps.goOn();
  }

  stop(): void {
    this.#steps.stop();
  }

  /** The server starts to serve proxies. */
  opened(): void {
    this.#steps.opened();
  }

  /** Held changes came, went or differ. */
  #staged(): void {
    const { changes } = this.#options.staging;
    for (const rollout of this.rollouts) {
      if (changes.has(rollout.change.id)) continue;
      this.#steps.takeBack(rollout);
      this.#steps.register.end(rollout, "withdrawn", editOf(rollout.change));
    }
    for (const change of changes.values()) this.#changed(change);
    this.#steps.goOn();
  }

  /** A change of new content begins anew. One of the same content may have other settings. */
  #changed(change: StagedChange): void {
    const { register } = this.#steps;
    const before = register.of(change.id);
    if (before !== undefined && before.content === contentOf(change)) {
      return register.set({ ...before, change, plan: planOf(change) });
    }
    if (before !== undefined) this.#steps.takeBack(before);
    const [phase, events] = [before?.phase === "paused" ? "paused" : "waiting", before?.events ?? []] as const;
    const rollout = { ...began(change, this.#options.clock.now()), phase, events };
    register.move(rollout, before === undefined ? "started" : "changed", editOf(change));
  }
}
