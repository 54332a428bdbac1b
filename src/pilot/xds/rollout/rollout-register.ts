import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isReached } from "./membership.ts";
import { type RolloutEvent, type RolloutEventType, type Told, untold, withEvent } from "./rollout-event.ts";
import type { StagedRollout } from "./staged-rollout.ts";
import type { StagedRolloutsOptions } from "./staged-rollouts-options.ts";

/** Older rollouts are forgotten. */
const maxEnded = 20;

/** The rollouts of a server, in the order in which they are delivered, and the last ones that ended. */
export class RolloutRegister {
  readonly #options: Pick<StagedRolloutsOptions, "clock" | "connections" | "observer">;
  readonly #rollouts = new Map<string, StagedRollout>();
  readonly #ended: StagedRollout[] = [];
  readonly #listeners: (() => void)[] = [];

  constructor(options: Pick<StagedRolloutsOptions, "clock" | "connections" | "observer">) {
    this.#options = options;
  }

  get all(): readonly StagedRollout[] {
    return [...this.#rollouts.values()];
  }

  /** Rollouts that ended, the newest last. */
  get ended(): readonly StagedRollout[] {
    return this.#ended;
  }

  /** The rollout whose change some proxies have, or get next. A paused one keeps its place. */
  get current(): StagedRollout | undefined {
    return this.#rollouts
      .values()
      .find(({ phase, wave }) => phase === "delivering" || (phase === "paused" && wave > 0));
  }

  of(id: string): StagedRollout | undefined {
    return this.#rollouts.get(id);
  }

  isCurrent({ change }: StagedRollout): boolean {
    return this.current?.change.id === change.id;
  }

  /** Whether nothing happened to the rollout meanwhile. */
  isStill({ change, wave, phase }: StagedRollout): boolean {
    const now = this.#rollouts.get(change.id);
    return now?.change === change && now.wave === wave && now.phase === phase;
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

  /** The rollout has another state, without an event of its own. */
  set(rollout: StagedRollout): void {
    this.#rollouts.set(rollout.change.id, rollout);
  }

  /** The rollout has another state, or something happened to it. */
  move(rollout: StagedRollout, type: RolloutEventType, told = untold): void {
    this.set(this.#noted(rollout, type, told));
    this.#notify();
  }

  /** The rollout has the state and the timeline of another process. */
  adopt(rollout: StagedRollout): void {
    this.set(rollout);
    const last = rollout.events.at(-1);
    if (last !== undefined) this.#options.observer.rolloutMoved(rollout.change.id, last);
    this.#notify();
  }

  end(rollout: StagedRollout, type: "finished" | "withdrawn", told = untold): void {
    const ended = this.#noted(rollout, type, told);
    this.#rollouts.delete(rollout.change.id);
    this.#ended.push(ended);
    if (this.#ended.length > maxEnded) this.#ended.shift();
    this.#notify();
  }

  #noted(rollout: StagedRollout, type: RolloutEventType, { by, reason }: Told): StagedRollout {
    const { clock, observer } = this.#options;
    const proxies = this.reachedBy(rollout).length;
    const event: RolloutEvent = { type, at: clock.now(), wave: rollout.wave, proxies, by, reason };
    observer.rolloutMoved(rollout.change.id, event);
    return { ...rollout, events: withEvent(rollout.events, event) };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
