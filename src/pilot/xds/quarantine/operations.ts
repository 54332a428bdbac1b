import type { ConfigId } from "../../../config/config.ts";
import type { Acceptance } from "./acceptance.ts";
import { arrivalMs, EarlyRefusals } from "./early-refusals.ts";
import type { QuarantineOptions } from "./quarantine-options.ts";
import type { AdoptedRefusal, Refusal, Refusals } from "./refusals.ts";
import type { Released } from "./released.ts";
import type { ReleaseResult, RetryResult } from "./report.ts";
import type { Rollouts } from "./rollouts.ts";
import type { Scope } from "./scope.ts";
import type { Serving } from "./serving.ts";
import type { Trials } from "./trials.ts";

export interface OperationsOptions extends Pick<QuarantineOptions, "clock" | "currentOf" | "insteadOf"> {
  readonly accepted: Pick<Acceptance, "noteRelease">;
  readonly refusals: Refusals;
  readonly released: Released;
  readonly rollouts: Pick<Rollouts, "has" | "of">;
  readonly trials: Pick<Trials, "try">;
  readonly serving: Serving;
}

/** Requests of operators, and news from the store that replicas share. */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #early: EarlyRefusals;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#early = new EarlyRefusals(options.clock);
  }

  /** Tries the current version of a refused object again, or of all refused objects. */
  retry(id?: ConfigId): RetryResult {
    const refusing = this.#options.refusals.scopes.filter(({ refusals }) => id === undefined || refusals.has(id));
    if (refusing.length === 0) return { type: "not refused" };
    const tried = new Set<ConfigId>();
    for (const { scope, refusals } of refusing) {
      const wanted = [...refusals.values()].filter((each) => id === undefined || each.id === id);
      for (const each of this.#try(scope, wanted)) tried.add(each);
    }
    return tried.size === 0 ? { type: "no proxy" } : { type: "started", objects: [...tried] };
  }

  /**
   * Serves the current version of an object to everybody, although proxies refused it. This version is never refused
   * again. A later version is.
   */
  async release(id: ConfigId): Promise<ReleaseResult> {
    const { refusals: all, accepted, released, serving } = this.#options;
    const refusing = all.scopes.filter(({ refusals }) => refusals.has(id));
    if (refusing.length === 0) return { type: "not refused" };
    for (const { scope, refusals } of refusing) {
      accepted.noteRelease(scope.classId, id, refusals.get(id)?.instead.objects.get(id));
      released.add(scope, id);
      serving.remove(scope, [id]);
      await serving.serve(scope);
    }
    return { type: "released", classes: refusing.map(({ scope }) => scope.id) };
  }

  /** Takes over refusals that this server found before its restart, or that another replica found. */
  async adopt(adopted: readonly AdoptedRefusal[]): Promise<void> {
    const { currentOf, serving } = this.#options;
    const isGone = ({ id, version }: AdoptedRefusal) => version !== undefined && currentOf(id) === undefined;
    this.#early.add(adopted.filter(isGone));
    const scopes = this.#add(adopted.filter((each) => !isGone(each)));
    for (const scope of scopes) await serving.serve(scope);
  }

  /** Objects have changed. Uses refusals of other replicas whose objects have arrived. */
  addArrived(): void {
    this.#add(this.#early.takeArrived(this.#options.currentOf));
  }

  /** Returns the classes that refuse something more. */
  #add(adopted: readonly AdoptedRefusal[]): readonly Scope[] {
    const { currentOf, insteadOf, released, rollouts, refusals } = this.#options;
    const usable = adopted.filter(
      ({ scope: { classId }, id }) => !released.has(classId, id) && !rollouts.has(classId, id),
    );
    for (const { scope, accepted, ...refusal } of usable) {
      const current = currentOf(refusal.id);
      const isHere = current?.version === refusal.version;
      const awaited = { versionHere: current?.version, until: refusal.since + arrivalMs };
      const instead = insteadOf(refusal.id, current, accepted);
      refusals.add(scope, [{ ...refusal, instead, ...(!isHere && { awaited }) }]);
    }
    return [...new Map(usable.map(({ scope }) => [scope.id, scope])).values()];
  }

  /** Another replica serves the object to the class again. */
  async forget(classId: string, id: ConfigId): Promise<void> {
    const { refusals: all, accepted, serving } = this.#options;
    const found = all.scopes.find(({ scope, refusals }) => scope.id === classId && refusals.has(id));
    if (found === undefined) return;
    accepted.noteRelease(classId, id, found.refusals.get(id)?.instead.objects.get(id));
    serving.remove(found.scope, [id]);
    await serving.serve(found.scope);
  }

  /** During a rollout the class tries other objects after its end. */
  #try(scope: Scope, wanted: readonly Refusal[]): readonly ConfigId[] {
    const { rollouts, refusals, clock, trials } = this.#options;
    if (scope.node !== undefined || rollouts.of(scope.classId) === undefined) return trials.try(scope, wanted);
    const others = wanted.filter(({ id }) => !rollouts.has(scope.classId, id));
    refusals.add(
      scope,
      others.map((each) => ({ ...each, retryAt: clock.now() })),
    );
    return others.map(({ id }) => id);
  }
}
