import type { Cancel } from "../../../lib/time/clock.ts";
import { CandidateDelivery } from "./candidate-delivery.ts";
import { chooseProxies } from "./choose-proxies.ts";
import { RolloutRegister } from "./rollout-register.ts";
import { gateText } from "./gate-verdict.ts";
import { type Told, untold } from "./rollout-event.ts";
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
    this.watch = new WaveWatch({
      ...options,
      register,
      spawn,
      acknowledged: () => this.#note("acknowledged"),
      answered: (answer, isNews) => this.#gateAnswered(answer, isNews),
    });
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
    // The look may have added an event.
    const latest = this.register.of(current.change.id) ?? current;
    switch (verdict.type) {
      case "runs":
        return;
      case "over":
        return this.#advance(latest);
      case "deserted":
        return this.#isStarting ? undefined : this.#enter(latest);
      case "failed":
        return this.halt(latest, verdict.halt);
      default:
        return verdict satisfies never;
    }
  }

  halt(rollout: StagedRollout, { cause, ...told }: Halt): void {
    this.#backToStable(rollout, { cause, reason: told.reason }, "halted", told);
  }

  abort(rollout: StagedRollout, order: Told): void {
    const words = order.reason === "" ? "" : `: ${order.reason}`;
    this.#backToStable(rollout, { cause: "operator", reason: `aborted by ${order.by}${words}` }, "aborted", order);
  }

  /** A paused rollout goes on in its wave, a halted one begins anew. */
  resume(rollout: StagedRollout, order: Told): void {
    const resumed = { ...rollout, reason: "", cause: "" as const, since: this.#options.clock.now() };
    const isInWave = rollout.phase === "paused" && rollout.wave > 0;
    const next: StagedRollout = isInWave
      ? { ...resumed, phase: "delivering" }
      : { ...resumed, phase: "waiting", wave: 0, chosen: new Set() };
    this.register.move(next, "resumed", order);
    this.goOn();
  }

  /** All proxies get the change. */
  finish(rollout: StagedRollout, told = untold): void {
    const wasCurrent = this.register.isCurrent(rollout);
    if (wasCurrent) this.watch.end();
    this.register.end(rollout, "finished", told);
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
    const { changedParts } = this.delivery;
    const isChanged = ({ classId }: (typeof connections)[number]) =>
      classId.split("\n").some((key) => changedParts.has(key));
    const chosen = new Set([...rollout.chosen, ...chooseProxies(rollout, connections, isChanged)]);
    const next = { ...rollout, chosen, since: clock.now() };
    const members = this.register.reachedBy(next);
    const before = this.register.reachedBy({ ...rollout, wave: rollout.wave - 1 });
    if (members.length === before.length && !this.#isStarting) return this.#advance(next);
    const rejecting = connections.filter((each) => each.verdict.type === "rejected" && !before.includes(each));
    this.watch.begin(rejecting.map(({ client }) => client.nodeId));
    this.register.move(next, "wave");
    this.delivery.spawn(next, () => this.delivery.deliver(next));
  }

  #backToStable(
    rollout: StagedRollout,
    why: Pick<StagedRollout, "cause" | "reason">,
    type: "halted" | "aborted",
    told: Told,
  ): void {
    this.takeBack(rollout);
    const since = this.#options.clock.now();
    this.register.move({ ...rollout, phase: "halted", chosen: new Set(), since, ...why }, type, told);
    this.goOn();
  }

  /** Something happened in the current wave. */
  #note(type: "acknowledged" | "gate", told = untold): void {
    const { current } = this.register;
    if (current !== undefined) this.register.move(current, type, told);
  }

  #gateAnswered(answer: GateAnswer, isNews: boolean): void {
    if (isNews) this.#note("gate", { by: "gate", reason: gateText(answer) });
    const { current } = this.register;
    if (answer.type !== "above" || current?.plan.gate === undefined) return;
    const reason = `the query gives ${answer.value}, and at most ${current.plan.gate.most} is allowed`;
    this.halt(current, { cause: "gate", by: "gate", reason });
  }
}
