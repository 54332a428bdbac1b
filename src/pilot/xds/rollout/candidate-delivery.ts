import { errorFrom } from "../../../lib/errors.ts";
import { Candidates } from "./candidates.ts";
import { isReached } from "./membership.ts";
import type { RolloutRegister } from "./rollout-register.ts";
import { nextOf, type StagedRollout } from "./staged-rollout.ts";
import type { StagedRolloutsOptions } from "./staged-rollouts-options.ts";

/**
 * Brings the mesh with a staged change to the proxies of its waves, and takes it back. Meshes are built while no push
 * runs, so each step that needs one ends later: `spawn` guards it.
 */
export class CandidateDelivery {
  readonly #options: StagedRolloutsOptions;
  readonly #register: RolloutRegister;
  readonly #candidates: Candidates;
  /** Everybody is about to get this change with the next push, and proxies of its waves still have it as a candidate. */
  #finishing: StagedRollout | undefined;
  /** Parts that the delivered change may alter, by their keys. */
  #changedParts: ReadonlySet<string> = new Set();

  constructor(options: StagedRolloutsOptions, register: RolloutRegister) {
    this.#options = options;
    this.#register = register;
    this.#candidates = new Candidates(options);
  }

  get isFinishing(): boolean {
    return this.#finishing !== undefined;
  }

  get changedParts(): ReadonlySet<string> {
    return this.#changedParts;
  }

  /** Finds the parts that the change may alter: waves of a number of proxies prefer proxies with these parts. */
  async prepare({ change }: StagedRollout): Promise<void> {
    const { inTurn, catalogues } = this.#options;
    await inTurn(async () => {
      this.#changedParts = await catalogues.partsChangedBy(nextOf(change));
    });
  }

  /** The users' mesh was published. Brings the mesh with the change to the same state. */
  async published(): Promise<void> {
    if (!this.#candidates.isEmpty) await this.#serve();
  }

  /** The proxies of the waves so far get the change. */
  async deliver(rollout: StagedRollout): Promise<void> {
    const { inTurn, repush } = this.#options;
    await inTurn(async () => {
      if (this.#register.isStill(rollout)) await this.#serve();
    });
    const { current } = this.#register;
    if (current !== undefined) repush(this.#register.reachedBy(current));
  }

  /** From their next lease on, all proxies get the stable versions. */
  takeBack(rollout: StagedRollout): void {
    const reached = this.#register.reachedBy(rollout);
    this.#candidates.end();
    this.#options.repush(reached);
    this.spawn(rollout, () => this.#options.inTurn(() => this.#serve()));
  }

  /** Everybody gets the change. The register must not have the rollout any more. */
  finish(rollout: StagedRollout, wasCurrent: boolean): void {
    const { staging, accepted, caughtUp, inTurn, repush } = this.#options;
    const { id, objects } = rollout.change;
    // Somebody may promote another rollout than the current one: the proxies of that one keep their mesh.
    if (wasCurrent) this.#finishing = rollout;
    const reached = this.#register.reachedBy(rollout);
    staging.finish(id);
    this.spawn(rollout, async () => {
      await caughtUp();
      accepted(objects.keys());
      if (!wasCurrent) return;
      this.#finishing = undefined;
      this.#candidates.end();
      await inTurn(() => this.#serve());
      repush(reached);
    });
  }

  /** Does work that ends later. A failure is reported, and ends nothing else. */
  spawn({ change }: StagedRollout, work: () => Promise<void>): void {
    work().catch((thrown: unknown) => this.#options.observer.rolloutFailed(change.id, errorFrom(thrown)));
  }

  /** Brings the mesh with the change to the current one. */
  async #serve(): Promise<void> {
    const rollout = this.#finishing ?? this.#register.current;
    if (rollout === undefined || rollout.wave === 0) return this.#candidates.drop();
    await this.#candidates.serve(nextOf(rollout.change), (proxy) => isReached(rollout, proxy));
  }
}
