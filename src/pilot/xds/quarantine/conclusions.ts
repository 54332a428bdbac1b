import type { Acceptance } from "./acceptance.ts";
import type { Judgement } from "./judgement.ts";
import type { QuarantineOptions } from "./quarantine-options.ts";
import type { Refusals } from "./refusals.ts";
import type { Released } from "./released.ts";
import type { Rollout, RolloutEnd, Rollouts } from "./rollouts.ts";
import type { EndedSearch, Searches } from "./searches.ts";
import type { Serving } from "./serving.ts";
import type { Trials } from "./trials.ts";
import type { Trust } from "./trust.ts";

export interface ConclusionsOptions extends Pick<QuarantineOptions, "clock" | "currentOf" | "insteadOf" | "observer"> {
  readonly accepted: Pick<Acceptance, "acceptedUntil" | "noteRelease">;
  readonly refusals: Refusals;
  readonly released: Pick<Released, "isAnyOf">;
  readonly trust: Pick<Trust, "failed" | "succeeded" | "changedVerdict" | "isTrusted">;
  readonly judgement: Pick<Judgement, "on">;
  readonly rollouts: Pick<Rollouts, "drop" | "start">;
  readonly trials: Pick<Trials, "notFound" | "tryAgain">;
  readonly searches: Pick<Searches, "takeCatalogue" | "endTrial">;
  readonly serving: Serving;
}

/** Objects whose rollout was not answered are tried again after this time. */
const retryAfterMs = 600_000;

/** Uses the results of searches and rollouts. */
export class Conclusions {
  readonly #options: ConclusionsOptions;

  constructor(options: ConclusionsOptions) {
    this.#options = options;
  }

  /** A search has ended. */
  async conclude(ended: EndedSearch): Promise<void> {
    const { trust, accepted: acceptance, judgement, refusals, rollouts, searches, serving, observer } = this.#options;
    const { connection, scope, found } = ended;
    const { nodeId } = connection.client;
    if (found === undefined) return this.#notFound(ended);
    trust.succeeded(nodeId);
    acceptance.acceptedUntil(connection, ended.startedAt);
    const { refused, accepted } = judgement.on({ ...ended, found });
    for (const { scope: refusing, refusal } of refused) {
      refusals.add(refusing, [refusal]);
      observer.objectQuarantined(refusal, refusing);
    }
    const byClass = refused.filter((each) => each.scope.node === undefined).map(({ refusal }) => refusal.id);
    this.#endRefusalsOfProxies(scope.classId);
    rollouts.drop(scope.classId, byClass);
    if (accepted.size > 0 && scope.node === undefined) rollouts.start(scope, accepted, nodeId);
    else serving.remove(scope, accepted.keys());
    // Otherwise the proxy of the search would get the last probe again.
    await serving.serve(scope, searches);
  }

  /** All proxies of a class have accepted the objects, or the proxies of a wave did not answer. */
  async endRollout({ scope, objects }: Rollout, end: RolloutEnd): Promise<void> {
    const { clock, currentOf, insteadOf, accepted, refusals, serving, trials } = this.#options;
    for (const [id, config] of objects) {
      const refusal = refusals.of(scope.id).get(id);
      if (refusal === undefined) continue;
      if (end === "not answered") {
        const reason = "proxies that got the object did not accept it in time";
        const retryAt = clock.now() + retryAfterMs;
        refusals.add(scope, [{ ...refusal, version: config?.version, reason, retryAt }]);
        continue;
      }
      accepted.noteRelease(scope.classId, id, config);
      if (currentOf(id)?.version === config?.version) serving.remove(scope, [id]);
      else refusals.add(scope, [{ ...refusal, instead: insteadOf(id, currentOf(id), config) }]);
    }
    await serving.serve(scope);
    trials.tryAgain(scope);
  }

  /** The verdicts of a proxy no longer count. A refusal of a class needs another witness then. */
  trustLost(node: string): void {
    const { refusals: all } = this.#options;
    for (const { scope, refusals } of all.scopes) {
      if (scope.node !== undefined) continue;
      for (const refusal of refusals.values()) {
        if (refusal.confirmedBy === undefined || ![refusal.node, refusal.confirmedBy].includes(node)) continue;
        const witness = refusal.node === node ? refusal.confirmedBy : refusal.node;
        all.add(scope, [{ ...refusal, node: witness, confirmedBy: undefined }]);
      }
    }
  }

  #notFound({ connection, scope, changedVerdict }: EndedSearch): void {
    const { trials, trust, released } = this.#options;
    trials.notFound(connection);
    if (changedVerdict) return trust.changedVerdict(connection.client.nodeId);
    // Released objects, and objects that a proxy holds from an earlier stream, are never suspects.
    const isExcused = connection.resumed || released.isAnyOf(scope.classId);
    if (!isExcused) trust.failed(connection.client.nodeId);
  }

  /** A class refuses a version for all of its proxies. */
  #endRefusalsOfProxies(classId: string): void {
    const { refusals: all } = this.#options;
    const ofClass = all.of(classId);
    for (const { scope, refusals } of all.scopes) {
      if (scope.classId !== classId || scope.node === undefined) continue;
      const same = [...refusals.values()].filter(
        ({ id, version }) => ofClass.has(id) && ofClass.get(id)?.version === version,
      );
      all.remove(
        scope.id,
        same.map(({ id }) => id),
      );
    }
  }
}
