import type { Mode } from "../mode.ts";
import type { ResourceType } from "../resource-type.ts";
import { addedNames, type NameSet, noNames } from "../resources/name-set.ts";
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
import { possiblyMissing } from "./possibly-missing.ts";
import { RejectedNames } from "./rejected-names.ts";
import type { Repetition } from "./repetition.ts";
import { type InFlight, type MatchedResponse, UnacknowledgedResponses } from "./unacknowledged-responses.ts";

/** The sync state of a client: nothing sent yet, last response rejected, not acknowledged yet, or accepted. */
export type SyncState = "not sent" | "rejected" | "stale" | "synced";

/** The names and the wildcard that the client subscribes to. */
interface Interest {
  readonly wildcard: boolean;
  readonly names: NameSet;
  /**
   * True until the client names a resource. After that an empty list unsubscribes instead of subscribing to everything
   * (xDS protocol: How the client specifies what resources to return).
   */
  readonly legacyWildcard: boolean;
  /**
   * Hash of the bytes of `names`. A SotW client repeats all names in every message, so equal bytes need no decoding.
   */
  readonly namesHash: bigint | undefined;
}

/** A response that has left. */
interface ResponseRecord {
  readonly nonce: string;
  readonly target: Target;
}

/**
 * One (connection, type): the client's subscription, the sent responses and its ACKs and NACKs. Pure state: it never
 * sends. With flow control at most one response is unacknowledged. The owner calls {@link due} again after every
 * change.
 */
export class Subscription {
  readonly type: ResourceType;
  readonly mode: Mode;
  readonly #flowControl: boolean;
  #interest: Interest;
  #error: string | undefined;
  #computed = 0;
  #lastSent: (ResponseRecord & { readonly at: number }) | undefined;
  #lastAcked: ResponseRecord | undefined;
  #ackOverdue = false;
  /** Removals that are held back (xDS protocol: Eventual consistency considerations). */
  #retained: Retained = nothingRetained;
  /** The last target that left without a held-back removal. */
  #sentInFull: Target = [];
  /** Versions from an earlier stream (xDS protocol: `initial_resource_versions` in discovery.proto). */
  #held = HeldVersions.none;
  readonly #forced = new ForcedNames();
  readonly #unacknowledged = new UnacknowledgedResponses();
  readonly #rejected = new RejectedNames();
  #isTrial = false;
  /** Changes and retries take turns, so that neither starves. */
  #retryIsNext = false;
  /** The client unsubscribed from the wildcard, and no answer to a new wildcard has left since. */
  #wildcardWasLeft = false;
  /** Names that the client asked for, and no answer with them has been accepted. Empty before the first answer. */
  readonly #newNames = new Set<string>();

  constructor(type: ResourceType, mode: Mode, { legacyWildcard = type.sotw === "whole", flowControl = true } = {}) {
    this.type = type;
    this.mode = mode;
    this.#flowControl = flowControl;
    this.#interest = { wildcard: false, names: noNames, legacyWildcard, namesHash: undefined };
  }

  /** The reason of the last NACK, until the client has accepted everything that it rejected. */
  get error(): string | undefined {
    return this.#error;
  }

  /** Empty before the first response. */
  get sentNonce(): string {
    return this.#lastSent?.nonce ?? "";
  }

  /** Empty before the first ACK. */
  get ackedNonce(): string {
    return this.#lastAcked?.nonce ?? "";
  }

  /** The target of the last response. */
  get sent(): Target {
    return this.#lastSent?.target ?? [];
  }

  /** The target at the last ACK. */
  get acked(): Target {
    return this.#lastAcked?.target ?? [];
  }

  /** When the last response left, in the clock's milliseconds. */
  get sentAt(): number | undefined {
    return this.#lastSent?.at;
  }

  /** True once a response has left on this stream. */
  get answered(): boolean {
    return this.#lastSent !== undefined;
  }

  /** How many answers were computed. The cost of each grows with the client's distance from the target. */
  get computed(): number {
    return this.#computed;
  }

  /** The newest response, until its ACK or NACK. */
  get inFlight(): InFlight | undefined {
    return this.#unacknowledged.newest;
  }

  /** Versions by name that the client kept from an earlier stream. Empty once the first answer has left. */
  get heldVersions(): ReadonlyMap<string, string> {
    return this.#held.versions;
  }

  /** The client's error message by name, for names whose last sent version it rejected. */
  get rejected(): ReadonlyMap<string, string> {
    return this.#rejected.reasons;
  }

  /** Whether the client asked for this name after its first request, and has accepted no answer with it. */
  isNew(name: string): boolean {
    return this.#newNames.has(name);
  }

  /** True while the ACK or NACK of the newest response is awaited. */
  get awaitsAck(): boolean {
    return this.inFlight !== undefined && !this.#ackOverdue && this.type.neverAcknowledged !== true;
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

  get wildcard(): boolean {
    return this.#interest.wildcard;
  }

  get names(): NameSet {
    return this.#interest.names;
  }

  get legacyWildcard(): boolean {
    return this.#interest.legacyWildcard;
  }

  get namesHash(): bigint | undefined {
    return this.#interest.namesHash;
  }

  /** The subscribed names, or all with a wildcard. */
  get asked(): NameSet | "all" {
    return this.wildcard ? "all" : this.names;
  }

  wants(name: string): boolean {
    return this.wildcard || this.names.has(name);
  }

  /** Changes the subscription. Fields that are not given stay unchanged. */
  subscribeTo(interest: Partial<Interest>): void {
    const { wildcard: wasWildcard, names: namesBefore } = this;
    this.#interest = { ...this.#interest, ...interest };
    if (wasWildcard !== this.wildcard) this.#changeWildcard();
    // The client drops resources that it unsubscribes from (xDS protocol: Unsubscribing From Resources). After a new
    // subscription it holds none of them.
    this.#noteNewNames(namesBefore);
    const kept = [...this.#retained].filter(([name]) => this.wants(name));
    if (kept.length < this.#retained.size) this.#retained = new Map(kept);
    if (this.#rejected.size === 0) return;
    this.#rejected.keepOnly((name) => this.wants(name));
    if (this.#rejected.size === 0) this.#error = undefined;
  }

  #noteNewNames(before: NameSet): void {
    if (!this.answered || before === this.names) return;
    for (const name of addedNames(before, this.names)) this.#newNames.add(name);
    for (const name of this.#newNames) if (!this.wants(name)) this.#newNames.delete(name);
  }

  /**
   * Without the wildcard the client drops all resources that it did not name (xDS protocol: Unsubscribing From
   * Resources). After a new wildcard the server does not know its state: the client holds nothing, or resources of
   * answers that were in flight.
   */
  #changeWildcard(): void {
    if (!this.wildcard) {
      this.#wildcardWasLeft = true;
      return;
    }
    if (!this.#wildcardWasLeft) return;
    const inFlight = this.#unacknowledged.answers.flatMap((answer) => coveredNames(answer, this.mode));
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

  /**
   * The acknowledgement is overdue. Stops waiting for it, but still accepts it, because Envoy withholds it while
   * clusters warm (xDS protocol: Resource warming).
   */
  stopAwaitingAck(): void {
    this.#ackOverdue = true;
  }

  /**
   * Applies an ACK to the response with this nonce, even if newer responses have left (xDS protocol: ACK and NACK
   * semantics summary). Returns false for a stale nonce, which matches no response that awaits an ACK or NACK.
   */
  ack(nonce: string): boolean {
    const response = this.#unacknowledged.take(nonce);
    if (response !== undefined) this.#accept(response);
    return response !== undefined;
  }

  /** Applies a NACK, by the same rule as {@link ack}. */
  nack(nonce: string, reason: string): boolean {
    const response = this.#unacknowledged.take(nonce);
    if (response !== undefined) this.#reject(response, reason);
    return response !== undefined;
  }

  #accept({ nonce, answer }: InFlight): void {
    if (this.#newNames.size > 0) for (const name of coveredNames(answer, this.mode)) this.#newNames.delete(name);
    // A late ACK of an overtaken answer does not undo the ACK of the newest one.
    if (this.ackedNonce !== this.sentNonce) {
      this.#lastAcked = { nonce, target: answer.target };
    }
    if (!isComplete(this)) {
      if (!this.#rejected.isEmpty) this.#rejected.accept(coveredNames(answer, this.mode));
    } else if (nonce === this.sentNonce) {
      // The answer listed everything, so it repeated the content of all answers before it (xDS protocol: Grouping
      // Resources into Responses).
      this.#unacknowledged.forgetOvertaken();
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
      const resent = possiblyMissing(answer, this.#rejected.reasons.keys(), this.#unacknowledged.answers);
      return { ...answer, resent };
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
    this.#unacknowledged.add({ nonce, answer }, this.type.neverAcknowledged === true);
    this.#ackOverdue = false;
    this.#lastSent = { nonce, target: answer.target, at: now };
    this.#retained = answer.retained;
    if (answer.retained.size === 0) this.#sentInFull = answer.target;
    if (!this.#rejected.isEmpty || answer.postponed.length > 0)
      this.#rejected.sent(coveredNames(answer, this.mode), answer.postponed);
    this.#retryIsNext = !answer.isRetry;
    if (answer.isRetry) return;
    if (this.wildcard) this.#wildcardWasLeft = false;
    this.#forced.clear();
    this.#held = HeldVersions.none;
  }

  #clientState(forced: ReadonlySet<string> | "all"): ClientState {
    const { type, mode, wildcard, names, answered, sent, acked } = this;
    const own = { retained: this.#retained, held: this.#held, sentInFull: this.#sentInFull, rejected: this.#rejected };
    return { type, mode, wildcard, names, answered, sent, acked, forced, holdsUnknown: this.#wildcardWasLeft, ...own };
  }
}
