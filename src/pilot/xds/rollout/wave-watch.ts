import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { gateVerdict } from "./gate-verdict.ts";
import type { RolloutRegister } from "./rollout-register.ts";
import type { GateAnswer, Halt, StagedRollout } from "./staged-rollout.ts";
import type { StagedRolloutsOptions } from "./staged-rollouts-options.ts";
import { WaveProgress } from "./wave-progress.ts";

const askEveryMs = 5_000;

/**
 * How a wave is doing. `over`: its proxies have accepted the change, its time is over and its gate is open. `deserted`:
 * all of its proxies have been away for long.
 */
type WaveVerdict = { readonly type: "runs" | "over" | "deserted" } | { readonly type: "failed"; readonly halt: Halt };

interface WaveWatchOptions
  extends Pick<StagedRolloutsOptions, "clock" | "connections" | "served" | "isQueued" | "ask"> {
  readonly register: RolloutRegister;
  /** Work that ends later. */
  readonly spawn: (rollout: StagedRollout, work: () => Promise<void>) => void;
  /** All proxies of the wave have accepted the change. Called once per wave. */
  readonly acknowledged: () => void;
  /** The gate of the current wave answered. `isNews`: otherwise than before in this wave. */
  readonly answered: (answer: GateAnswer, isNews: boolean) => void;
}

/** Watches the proxies and the gate of the current wave. */
export class WaveWatch {
  readonly #options: WaveWatchOptions;
  #progress: WaveProgress | undefined;
  /** The wave whose proxies have accepted the change. New proxies of the wave are no news. */
  #acknowledged: WaveProgress | undefined;

  constructor(options: WaveWatchOptions) {
    this.#options = options;
  }

  get progress(): WaveProgress | undefined {
    return this.#progress;
  }

  /** A wave begins. `excused`: see {@link WaveProgress}. */
  begin(excused: Iterable<string>): void {
    this.#progress = new WaveProgress(this.#options.clock.now(), excused);
  }

  /** Goes on with a wave of another process, whose chosen proxies had the change. */
  goOn(chosen: Iterable<string>): void {
    this.#progress = new WaveProgress(this.#options.clock.now(), [], chosen);
  }

  end(): void {
    this.#progress = undefined;
  }

  look(current: StagedRollout): WaveVerdict {
    const { clock, connections, served, isQueued, register, acknowledged } = this.#options;
    const progress = this.#progress;
    if (progress === undefined || current.phase === "paused") return { type: "runs" };
    const now = clock.now();
    const isServed = (each: Connection<Proxy>) =>
      !isQueued(each) && !served.isOnTrial(each.client) && served.isCurrent(each);
    const halt = progress.look({ now, members: register.reachedBy(current), isServed });
    if (halt !== undefined) return { type: "failed", halt };
    if (progress.acceptedAt !== undefined && progress.accepted > 0 && this.#acknowledged !== progress) {
      this.#acknowledged = progress;
      acknowledged();
    }
    this.#askGate(current, progress);
    const [any] = connections();
    if (any === undefined) return { type: "runs" };
    if (progress.isDeserted) return { type: "deserted" };
    const { acceptedAt } = progress;
    if (acceptedAt === undefined || now - acceptedAt < current.plan.waitMs) return { type: "runs" };
    const gate = gateVerdict(current.plan, progress.gate, { acceptedAt, now });
    if (gate.type === "failed") return { type: "failed", halt: { cause: "gate", by: "gate", reason: gate.reason } };
    return { type: gate.type === "open" ? "over" : "runs" };
  }

  #askGate(rollout: StagedRollout, progress: WaveProgress): void {
    const { clock, ask, spawn, answered } = this.#options;
    const { gate } = rollout.plan;
    const now = clock.now();
    if (gate === undefined || now - (progress.askedAt ?? -Infinity) < askEveryMs) return;
    progress.askedAt = now;
    spawn(rollout, async () => {
      const answer = await ask(gate);
      if (this.#progress !== progress) return;
      const isNews = progress.gate?.answer.type !== answer.type;
      progress.gate = { answer, askedAt: now };
      answered(answer, isNews);
    });
  }
}
