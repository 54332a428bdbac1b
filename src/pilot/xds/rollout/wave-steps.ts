import type { Cancel } from "../../../lib/time/clock.ts";
import { CandidateDelivery } from "./candidate-delivery.ts";
import { chooseProxies } from "./choose-proxies.ts";
import { RolloutRegister } from "./rollout-register.ts";
import type { GateAnswer, Halt, StagedRollout } from "./staged-rollout.ts";
import type { StagedRolloutsOptions } from "./staged-rollouts-options.ts";
import { WaveWatch } from "./wave-watch.ts";

/** Objects of one change may arrive one after the other. */
const quietMs = 1_000;
const lookEveryMs = 1_000;
/** So long after its start a server skips no wave without a proxy. */
const reconnectMs = 60_000;

/** Takes rollouts from wave to wave, one rollout at a time, until everybody has the change or a wave fails. */
export class WaveSteps {
  readonly register: RolloutRegister;
  readonly delivery: CandidateDelivery;
  readonly watch: WaveWatch;
  readonly #options: StagedRolloutsOptions;
  #openedAt = 0;
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(options: StagedRolloutsOptions) {
    this.#options = options;
    const register = new RolloutRegister(options);
    const delivery = new CandidateDelivery(options, register);
    const spawn = delivery.spawn.bind(delivery);
    this.register = register;
    this.delivery = delivery;
    this.watch = new WaveWatch({ ...options, register, spawn, answered: (answer) => this.#gateAnswered(answer) });
  }

  /** The server starts to serve proxies. */
  opened(): void {
    this.#openedAt = this.#options.clock.now();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Looks at the waves from now on, as long as there is one. */
  goOn(): void {
    if (this.#isStopped || this.#cancel !== undefined) return;
    if (this.register.all.every(({ phase }) => phase === "paused" || phase === "halted")) return;
    this.#cancel = this.#options.clock.after(lookEveryMs, () => {
      this.#cancel = undefined;
      this.look();
      this.goOn();
    });
  }

  look(): void {
    const { current } = this.register;
    if (current === undefined) return this.#begin();
    const verdict = this.watch.look(current);
    switch (verdict.type) {
      case "runs":
        return;
      case "over":
        return this.#advance(current);
      case "deserted":
        return this.#isStarting ? undefined : this.#enter(current);
      case "failed":
        return this.halt(current, verdict.halt);
      default:
        return verdict satisfies never;
    }
  }

  halt(rollout: StagedRollout, halt: Halt): void {
    this.takeBack(rollout);
    const since = this.#options.clock.now();
    this.register.move({ ...rollout, phase: "halted", chosen: new Set(), since, ...halt }, "halted");
    this.goOn();
  }

  /** A paused rollout goes on in its wave, a halted one begins anew. */
  resume(rollout: StagedRollout): void {
    const resumed = { ...rollout, reason: "", cause: "" as const, since: this.#options.clock.now() };
    const isInWave = rollout.phase === "paused" && rollout.wave > 0;
    const next: StagedRollout = isInWave
      ? { ...resumed, phase: "delivering" }
      : { ...resumed, phase: "waiting", wave: 0, chosen: new Set() };
    this.register.move(next, "resumed");
    this.goOn();
  }

  finish(rollout: StagedRollout): void {
    const wasCurrent = this.register.isCurrent(rollout);
    if (wasCurrent) this.watch.end();
    this.register.end(rollout, "finished");
    this.delivery.finish(rollout, wasCurrent);
    this.goOn();
  }

  /** All proxies get the stable versions, if some have others. */
  takeBack(rollout: StagedRollout): void {
    if (rollout.wave === 0 || rollout.phase === "halted") return;
    this.watch.end();
    this.delivery.takeBack(rollout);
  }

  /** Proxies of a wave may not have connected again yet. */
  get #isStarting(): boolean {
    return this.#options.clock.now() - this.#openedAt < reconnectMs;
  }

  /** Begins the first rollout that waits. */
  #begin(): void {
    const { clock, connections } = this.#options;
    if (this.delivery.isFinishing) return;
    const waiting = this.register.all.find(({ phase }) => phase === "waiting");
    if (waiting === undefined || clock.now() - waiting.since < quietMs) return;
    const [any] = connections();
    if (any === undefined) return;
    const begun: StagedRollout = { ...waiting, phase: "delivering", wave: 0 };
    this.register.set(begun);
    this.delivery.spawn(begun, async () => {
      await this.delivery.prepare(begun);
      if (this.register.isStill(begun)) this.#advance(begun);
    });
  }

  /** The next wave with a connected proxy, or everybody. */
  #advance(rollout: StagedRollout): void {
    const wave = rollout.wave + 1;
    if (wave > rollout.plan.waves.length) return this.finish(rollout);
    this.#enter({ ...rollout, wave });
  }

  #enter(rollout: StagedRollout): void {
    const { clock } = this.#options;
    const connections = [...this.#options.connections()];
    const chosen = new Set([...rollout.chosen, ...chooseProxies(rollout, connections, this.delivery.changedParts)]);
    const next = { ...rollout, chosen, since: clock.now() };
    const members = this.register.reachedBy(next);
    const before = this.register.reachedBy({ ...rollout, wave: rollout.wave - 1 });
    if (members.length === before.length && !this.#isStarting) return this.#advance(next);
    const rejecting = connections.filter((each) => each.verdict.type === "rejected" && !before.includes(each));
    this.watch.begin(rejecting.map(({ client }) => client.nodeId));
    this.register.move(next, "wave");
    this.delivery.spawn(next, () => this.delivery.deliver(next));
  }

  #gateAnswered(answer: GateAnswer): void {
    const { current } = this.register;
    if (answer.type !== "above" || current?.plan.gate === undefined) return;
    const reason = `the query gives ${answer.value}, and at most ${current.plan.gate.most} is allowed`;
    this.halt(current, { cause: "gate", reason });
  }
}
