import type { Mode } from "../mode.ts";
import type { ResourceType } from "../resource-type.ts";
import { noNames } from "../resources/name-set.ts";
import { find, type Target } from "../resources/target.ts";
import { HeldVersions } from "../wire/held-versions.ts";
import {
  type Answer,
  type AnswerOptions,
  acceptedOf,
  answerFor,
  type ClientState,
  isComplete,
  nothingRetained,
  type Retained,
} from "./answer.ts";
import { coveredNames, postponeRejected } from "./answer-names.ts";
import { ForcedNames, type ForcedReason } from "./forced-names.ts";
import type { InterestFacts } from "./interest.ts";
import { possiblyMissing } from "./possibly-missing.ts";
import { RejectedNames } from "./rejected-names.ts";
import type { Repetition } from "./repetition.ts";
import { SubscriptionFacts } from "./subscription-facts.ts";
import type { InFlight, MatchedResponse } from "./unacknowledged-responses.ts";

/** The sync state of a client: nothing sent yet, last response rejected, not acknowledged yet, or accepted. */
export type SyncState = "not sent" | "rejected" | "stale" | "synced";

/**
 * One (connection, type): the client's subscription, the sent responses and its ACKs and NACKs. Pure state: it never
 * sends. With flow control at most one response is unacknowledged. The owner calls {@link due} again after every
 * change.
 */
export class Subscription extends SubscriptionFacts {
  readonly #flowControl: boolean;
  #error: string | undefined;
  #computed = 0;
  /** Removals that are held back (xDS protocol: Eventual consistency considerations). */
  #retained: Retained = nothingRetained;
  /** The last target that left without a held-back removal. */
  #sentInFull: Target = [];
  /** Versions from an earlier stream (xDS protocol: `initial_resource_versions` in discovery.proto). */
  #held = HeldVersions.none;
  readonly #forced = new ForcedNames();
  readonly #rejected = new RejectedNames();
  #isTrial = false;
  /** Changes and retries take turns, so that neither starves. */
  #retryIsNext = false;

  constructor(type: ResourceType, mode: Mode, { legacyWildcard = type.sotw === "whole", flowControl = true } = {}) {
    super(type, mode, legacyWildcard);
    this.#flowControl = flowControl;
  }

  /** The reason of the last NACK, until the client has accepted everything that it rejected. */
  get error(): string | undefined {
    return this.#error;
  }

  /** How many answers were computed. The cost of each grows with the client's distance from the target. */
  get computed(): number {
    return this.#computed;
  }

  /** Versions by name that the client kept from an earlier stream. Empty once the first answer has left. */
  get heldVersions(): ReadonlyMap<string, string> {
    return this.#held.versions;
  }

  /** The client's error message by name, for names whose last sent version it rejected. */
  get rejected(): ReadonlyMap<string, string> {
    return this.#rejected.reasons;
  }

  /** True while an unacknowledged response blocks the next one. Always false without flow control. */
  get blocked(): boolean {
    return this.#flowControl && this.awaitsAck;
  }

  get state(): SyncState {
    if (this.error !== undefined) return "rejected";
    if (!this.answered) return "not sent";
    return this.sentNonce === this.ackedNonce ? "synced" : "stale";
  }

  /** Changes the subscription. Fields that are not given stay unchanged. */
  subscribeTo(interest: Partial<InterestFacts>): void {
    const { wildcard: wasWildcard } = this;
    this.interest.change(interest, { isAnswered: this.answered });
    if (!wasWildcard && this.wildcard && this.interest.wildcardWasLeft) this.#retainInFlight();
    // The client drops resources that it unsubscribes from (xDS protocol: Unsubscribing From Resources). After a new
    // subscription it holds none of them.
    const kept = [...this.#retained].filter(([name]) => this.wants(name));
    if (kept.length < this.#retained.size) this.#retained = new Map(kept);
    if (this.#rejected.size === 0) return;
    this.#rejected.keepOnly((name) => this.wants(name));
    if (this.#rejected.size === 0) this.#error = undefined;
  }

  /** After a new wildcard the client may hold resources of answers that are in flight, in an unknown version. */
  #retainInFlight(): void {
    const inFlight = this.responses.unacknowledged.flatMap((answer) => coveredNames(answer, this.mode));
    const unknown = inFlight.map((name) => [name, undefined] as const);
    this.#retained = new Map([...unknown, ...this.#retained]);
    this.#retryIsNext = false;
  }

  /**
   * Sends names with the next answer although they did not change. Ignores names without a subscription, because a
   * client ignores them too (xDS protocol: How the client specifies what resources to return).
   */
  forceSend(names: Iterable<string> | "all", reason: ForcedReason): void {
    this.#forced.add(names === "all" ? "all" : [...names].filter((name) => this.wants(name)), reason);
  }

  /**
   * The source tries a target on this client. Rejected names leave with it once more, and not in halves later: each
   * answer has the content of the current target.
   */
  set isTrial(isTrial: boolean) {
    this.#isTrial = isTrial;
    if (!isTrial) return;
    this.#rejected.stopRetries();
    this.forceSend(this.#rejected.reasons.keys(), "rejected_together");
  }

  /** Sets the versions that the client kept from an earlier stream. They shorten the first answer. */
  resume(held: HeldVersions): void {
    if (!this.answered) this.#held = held;
  }

  /** The message that brought the held versions ends. They are still needed if the first answer waits. */
  keepHeld(): void {
    if (this.#held.size > 0) this.#held.keep();
  }

  /** The acknowledgement is overdue: the next response need not wait for it. */
  stopAwaitingAck(): void {
    this.responses.stopAwaitingAck();
  }

  /**
   * Applies an ACK to the response with this nonce, even if newer responses have left (xDS protocol: ACK and NACK
   * semantics summary). Returns false for a stale nonce, which matches no response that awaits an ACK or NACK.
   */
  ack(nonce: string): boolean {
    const response = this.responses.take(nonce);
    if (response !== undefined) this.#accept(response);
    return response !== undefined;
  }

  /** Applies a NACK, by the same rule as {@link ack}. */
  nack(nonce: string, reason: string): boolean {
    const response = this.responses.take(nonce);
    if (response !== undefined) this.#reject(response, reason);
    return response !== undefined;
  }

  #accept(response: InFlight): void {
    const { nonce, answer } = response;
    this.interest.accepted(() => coveredNames(answer, this.mode));
    this.responses.accepted(response);
    if (!isComplete(this)) {
      if (!this.#rejected.isEmpty) this.#rejected.accept(coveredNames(answer, this.mode));
    } else if (nonce === this.sentNonce) {
      // The answer listed everything, so it repeated the content of all answers before it (xDS protocol: Grouping
      // Resources into Responses).
      this.responses.forgetOvertaken();
      this.#rejected.acceptWhole();
    }
    // SotW cannot express that a resource of this type is removed, so no client can accept the removal (xDS protocol:
    // Deleting Resources).
    const tellsAbsence = this.mode === "delta" || this.type.absent !== undefined;
    if (!tellsAbsence) this.#rejected.keepOnly((name) => find(this.sent, name) !== undefined);
    if (this.#rejected.size === 0) this.#error = undefined;
  }

  /** A NACK does not say which resource is bad (xDS protocol: NACK), so all names of the answer count as rejected. */
  #reject({ answer, later }: MatchedResponse, reason: string): void {
    this.#error = reason;
    if (isComplete(this)) {
      const changed = answer.changed.map(({ name }) => name);
      this.#rejected.rejectWhole(changed, reason);
    } else {
      // Names that were sent again since are accepted or rejected with the later answer.
      const left = new Set(later.flatMap((each) => coveredNames(each, this.mode)));
      const all = coveredNames(answer, this.mode);
      const names = all.filter((name) => !left.has(name) && this.wants(name));
      this.#rejected.reject(names, reason, { isRetry: answer.isRetry && !answer.hasChanges, alone: all.length === 1 });
      if (this.#isTrial) this.#rejected.stopRetries();
    }
    this.#keepAccepted();
  }

  /**
   * Held-back removals keep the version that the client accepted. After a NACK the client goes on with that version
   * (xDS protocol: NACK). A complete answer that listed a rejected version leaves once more without it.
   */
  #keepAccepted(): void {
    const [state, before] = [this.#clientState(noNames), this.#retained];
    this.#retained = new Map(Array.from(before, ([name, resource]) => [name, resource && acceptedOf(state, resource)]));
    const isDropped = [...before].some(([name, resource]) => resource !== this.#retained.get(name));
    if (isDropped && isComplete(this)) this.forceSend("all", "rejected_together");
  }

  /** Whether an answer may be due, decided without looking at any resource. Usually none is due. */
  mayBeDue(target: Target): boolean {
    if (!this.answered || !this.#forced.isEmpty || this.#retained.size > 0) return true;
    if (this.#rejected.batches.length > 0) return true;
    const { sent } = this;
    return target !== sent && (target.length !== sent.length || target.some((set, part) => set !== sent[part]));
  }

  /**
   * The next response, or `undefined` when the client has its target (xDS protocol: When to send an update). Changes
   * leave without rejected names, so that one bad resource does not delay others. Rejected names leave in separate
   * answers.
   */
  due(target: Target, options: AnswerOptions): Answer | undefined {
    if (!this.mayBeDue(target)) return undefined;
    this.#computed++;
    if (this.#retryIsNext) return this.#retry() ?? this.#changes(target, options);
    return this.#changes(target, options) ?? this.#retry();
  }

  #changes(target: Target, options: AnswerOptions): Answer | undefined {
    const answer = answerFor(this.#clientState(this.#forced.names), target, options);
    if (answer === undefined) return undefined;
    if (isComplete(this)) {
      const resent = possiblyMissing(answer, this.#rejected.reasons.keys(), this.responses.unacknowledged);
      // Mostly nothing is resent. Then the answer stays the one that clients with equal requests share.
      return resent.length === 0 ? answer : { ...answer, resent };
    }
    return this.#rejected.size === 0 ? answer : postponeRejected(answer, this.#rejected, this.mode);
  }

  /** A retry of names from a rejected answer, in the version last sent. */
  #retry(): Answer | undefined {
    for (const { names, unsent } of this.#rejected.batches) {
      const answer = answerFor(this.#clientState(new Set(names)), this.sent, { mayRemove: () => false });
      if (answer !== undefined) return { ...answer, resent: answer.resources, hasChanges: unsent, isRetry: true };
    }
    return undefined;
  }

  /** True when nothing is due and the client accepted everything that was sent. */
  settled(target: Target): boolean {
    if (!this.answered || this.inFlight !== undefined || this.error !== undefined) return false;
    return this.due(target, { mayRemove: () => true }) === undefined;
  }

  /** Why this answer leaves although nothing in it is new to the client. */
  repetitionsIn({ hasChanges, isRetry }: Answer): readonly Repetition[] {
    if (isRetry) return hasChanges ? [] : ["rejected_together"];
    const { reasons } = this.#forced;
    if (hasChanges || reasons.has("asked")) return [];
    if (!this.answered) return ["first_answer"];
    return [...reasons].filter((reason) => reason !== "asked");
  }

  /** Records that the answer has left under this nonce, at this time of the clock. */
  recordSent(nonce: string, answer: Answer, now: number): void {
    this.responses.record(nonce, answer, now);
    this.#retained = answer.retained;
    if (answer.retained.size === 0) this.#sentInFull = answer.target;
    if (!this.#rejected.isEmpty || answer.postponed.length > 0)
      this.#rejected.sent(coveredNames(answer, this.mode), answer.postponed);
    this.#retryIsNext = !answer.isRetry;
    if (answer.isRetry) return;
    this.interest.answered();
    this.#forced.clear();
    this.#held = HeldVersions.none;
  }

  #clientState(forced: ReadonlySet<string> | "all"): ClientState {
    const { type, mode, wildcard, names, answered, sent, acked } = this;
    const { wildcardWasLeft: holdsUnknown } = this.interest;
    const own = { retained: this.#retained, held: this.#held, sentInFull: this.#sentInFull, rejected: this.#rejected };
    return { type, mode, wildcard, names, answered, sent, acked, forced, holdsUnknown, ...own };
  }
}
