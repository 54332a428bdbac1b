import type { Mode } from "../mode.ts";
import type { ResourceType } from "../resource-type.ts";
import { type NameSet, noNames } from "../resources/name-set.ts";
import type { Resource } from "../resources/resource.ts";
import { find, type Target } from "../resources/target.ts";
import { HeldVersions } from "../wire/held-versions.ts";
import {
  acceptedOf,
  type Answer,
  type AnswerOptions,
  answerFor,
  type ClientState,
  isComplete,
  nothingRetained,
  type Retained,
} from "./answer.ts";
import { namesIn, setApart } from "./answer-names.ts";
import { RejectedNames } from "./rejected-names.ts";
import type { Repetition } from "./repetition.ts";
import { type InFlight, type Judged, Unjudged } from "./unjudged.ts";

/** The client's verdict on a response. `stale` when the nonce matches no response that awaits a verdict. */
export type Verdict = "ack" | "nack" | "stale";

/** The sync state of a client: nothing sent yet, last response rejected, not acknowledged yet, or accepted. */
export type SyncState = "not sent" | "rejected" | "stale" | "synced";

/** The subscription of a client: its names and its wildcard. */
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

/**
 * One (connection, type): the client's subscription, the sent responses and its ACKs and NACKs. Pure state: it never
 * sends. With flow control at most one response is unacknowledged. The owner calls {@link due} again after every
 * change.
 */
export class Subscription {
  readonly type: ResourceType;
  readonly mode: Mode;
  /** The reason of the last NACK, until the client has accepted everything that it rejected. */
  error: string | undefined;
  ackedNonce = "";
  sentNonce = "";
  sent: Target = [];
  /** The target at the last ACK. */
  acked: Target = [];
  /** When the last response left, in the clock's milliseconds. */
  sentAt: number | undefined;
  answered = false;
  /** How many answers were computed. The cost of each grows with the client's distance from the target. */
  computed = 0;
  #interest: Interest;
  #overdue = false;
  #retained: Retained = nothingRetained;
  /** The target at the last time when no removal was held back. */
  #inStep: Target = [];
  #held = HeldVersions.none;
  #owed: Set<string> | "all" = new Set();
  readonly #why = new Set<Repetition | "asked">();
  readonly #unjudged = new Unjudged();
  readonly #rejected = new RejectedNames();
  /**
   * True if the last answer had changes, so a retry goes next. Changes and retries take turns, so that neither starves.
   */
  #newsWentLast = false;
  #leftWildcard = false;

  readonly #flowControl: boolean;

  constructor(type: ResourceType, mode: Mode, { legacyWildcard = type.sotw === "whole", flowControl = true } = {}) {
    this.type = type;
    this.mode = mode;
    this.#flowControl = flowControl;
    this.#interest = { wildcard: false, names: noNames, legacyWildcard, namesHash: undefined };
  }

  /** The newest response, until its ACK or NACK. */
  get inFlight(): InFlight | undefined {
    return this.#unjudged.newest;
  }

  /** The client's error message by name, for names whose last sent version it rejected. */
  get rejected(): ReadonlyMap<string, string> {
    return this.#rejected.reasons;
  }

  /** True while the ACK or NACK of the newest response is awaited. */
  get unanswered(): boolean {
    return this.inFlight !== undefined && !this.#overdue && this.type.neverAcknowledged !== true;
  }

  /** True while an unacknowledged response blocks the next one. Always false without flow control. */
  get blocked(): boolean {
    return this.#flowControl && this.unanswered;
  }

  get state(): SyncState {
    if (this.error !== undefined) return "rejected";
    if (this.sentNonce === "") return "not sent";
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
  want(interest: Partial<Interest>): void {
    const { wildcard: wasWildcard } = this;
    this.#interest = { ...this.#interest, ...interest };
    if (wasWildcard !== this.wildcard) this.#changeWildcard();
    // The client drops resources that it unsubscribes from. After a new subscription it holds none of them.
    const kept = [...this.#retained].filter(([name]) => this.wants(name));
    if (kept.length < this.#retained.size) this.#retained = new Map(kept);
    if (this.#rejected.size === 0) return;
    this.#rejected.keepOnly((name) => this.wants(name));
    if (this.#rejected.size === 0) this.error = undefined;
  }

  /**
   * Without the wildcard the client drops all resources that it did not name. After a new wildcard the server does not
   * know its state: it holds nothing, or resources of answers that were in flight.
   */
  #changeWildcard(): void {
    if (!this.wildcard) {
      this.#leftWildcard = true;
      return;
    }
    if (!this.#leftWildcard) return;
    const onTheirWay = this.#unjudged.answers.flatMap((answer) => namesIn(answer, this.mode));
    const unknown = onTheirWay.map((name) => [name, undefined] as const);
    this.#retained = new Map([...unknown, ...this.#retained]);
    this.#newsWentLast = false;
  }

  /** Marks names that must be sent although they did not change. Names without a subscription are ignored. */
  owe(names: Iterable<string> | "all", why: Repetition | "asked"): void {
    const wanted = names === "all" ? "all" : [...names].filter((name) => this.wants(name));
    if (wanted.length > 0) this.#why.add(why);
    this.#owed = add(this.#owed, wanted);
  }

  /** Sets the versions that the client kept from an earlier stream. They shorten the first answer. */
  resume(held: HeldVersions): void {
    if (!this.answered) this.#held = held;
  }

  /** The acknowledgement is overdue: stops waiting for it, but still accepts it. */
  expire(): void {
    this.#overdue = true;
  }

  /**
   * Applies an ACK or NACK to the response with this nonce, even if newer responses have left (xDS protocol: ACK and
   * NACK semantics summary).
   */
  judge(nonce: string, error: string | undefined): Verdict {
    const judged = this.#unjudged.take(nonce);
    if (judged === undefined) return "stale";
    if (error === undefined) this.#accept(judged);
    else this.#reject(judged, error);
    return error === undefined ? "ack" : "nack";
  }

  #accept({ nonce, answer }: InFlight): void {
    // A late ACK of an overtaken answer does not undo a newer ACK.
    if (nonce === this.sentNonce || this.ackedNonce !== this.sentNonce) {
      this.ackedNonce = nonce;
      this.acked = answer.target;
    }
    if (!isComplete(this)) this.#rejected.accept(namesIn(answer, this.mode));
    else if (nonce === this.sentNonce) {
      this.#unjudged.forgetOvertaken();
      this.#rejected.acceptWhole();
    }
    // SotW cannot express that a resource of this type is removed, so no client can accept the removal (xDS protocol:
    // Deleting Resources).
    const tellsAbsence = this.mode === "delta" || this.type.absent !== undefined;
    if (!tellsAbsence) this.#rejected.keepOnly((name) => find(this.sent, name) !== undefined);
    if (this.#rejected.size === 0) this.error = undefined;
  }

  #reject({ answer, later }: Judged, reason: string): void {
    this.error = reason;
    if (isComplete(this)) {
      const changed = answer.changed.map(({ name }) => name);
      this.#rejected.rejectWhole(changed, reason);
      return this.#keepAccepted();
    }
    // Names that were sent again since are judged with the later answer.
    const left = new Set(later.flatMap((each) => namesIn(each, this.mode)));
    const all = namesIn(answer, this.mode);
    const names = all.filter((name) => !left.has(name) && this.wants(name));
    this.#rejected.reject(names, reason, { again: answer.again && !answer.news, alone: all.length === 1 });
    this.#keepAccepted();
  }

  /** Held-back removals keep the version that the client accepted, not the version that it rejected. */
  #keepAccepted(): void {
    const state = this.#state(noNames);
    const kept = Array.from(
      this.#retained,
      ([name, resource]) => [name, resource && acceptedOf(state, resource)] as const,
    );
    this.#retained = new Map(kept);
  }

  /** Whether an answer may be due, decided without looking at any resource. Usually none is due. */
  mayBeDue(target: Target): boolean {
    if (!this.answered || this.#owed === "all" || this.#owed.size > 0 || this.#retained.size > 0) return true;
    if (this.#rejected.batches.length > 0) return true;
    return target.length !== this.sent.length || target.some((set, part) => set !== this.sent[part]);
  }

  /**
   * The next response, or `undefined` when the client has its target. Changes leave without rejected names, so that one
   * bad resource does not delay others. Rejected names leave in separate answers.
   */
  due(target: Target, options: AnswerOptions): Answer | undefined {
    if (!this.mayBeDue(target)) return undefined;
    this.computed++;
    if (this.#newsWentLast) return this.#tryAgain() ?? this.#news(target, options);
    return this.#news(target, options) ?? this.#tryAgain();
  }

  #news(target: Target, options: AnswerOptions): Answer | undefined {
    const answer = answerFor(this.#state(this.#owed), target, options);
    if (answer === undefined) return undefined;
    if (isComplete(this)) return { ...answer, resent: this.#doubtful(answer) };
    return this.#rejected.size === 0 ? answer : setApart(answer, this.#rejected, this.mode);
  }

  /** A retry of names from a rejected answer, in the version last sent. */
  #tryAgain(): Answer | undefined {
    for (const { names, news } of this.#rejected.batches) {
      const answer = answerFor(this.#state(new Set(names)), this.sent, { mayRemove: () => false });
      if (answer !== undefined) return { ...answer, resent: answer.resources, news, again: true };
    }
    return undefined;
  }

  /** Unchanged resources of a complete answer that the client may not have. */
  #doubtful({ target, changed }: Answer): readonly Resource[] {
    const passedOver = this.#unjudged.answers.flatMap((answer) => answer.changed.map(({ name }) => name));
    const names = new Set([...this.#rejected.reasons.keys(), ...passedOver]);
    for (const { name } of changed) names.delete(name);
    return [...names].map((name) => find(target, name)).filter((resource) => resource !== undefined);
  }

  /** True when nothing is due and the client accepted everything that was sent. */
  settled(target: Target): boolean {
    if (!this.answered || this.inFlight !== undefined || this.error !== undefined) return false;
    return this.due(target, { mayRemove: () => true }) === undefined;
  }

  /** Why this answer leaves although nothing in it is new to the client. */
  repetitionsIn({ news, again }: Answer): readonly Repetition[] {
    if (again) return news ? [] : ["rejected_together"];
    if (news || this.#why.has("asked")) return [];
    if (!this.answered) return ["first_answer"];
    return [...this.#why].filter((why) => why !== "asked");
  }

  /** Records that the answer has left under this nonce, at this time of the clock. */
  sendAs(nonce: string, answer: Answer, now: number): void {
    this.#unjudged.add({ nonce, answer }, this.type.neverAcknowledged === true);
    this.#overdue = false;
    this.sentNonce = nonce;
    this.sentAt = now;
    this.answered = true;
    this.sent = answer.target;
    this.#retained = answer.retained;
    if (answer.retained.size === 0) this.#inStep = answer.target;
    this.#rejected.sent(namesIn(answer, this.mode), answer.postponed);
    this.#newsWentLast = !answer.again;
    if (answer.again) return;
    if (this.wildcard) this.#leftWildcard = false;
    this.#owed = new Set();
    this.#why.clear();
    this.#held = HeldVersions.none;
  }

  #state(owed: ReadonlySet<string> | "all"): ClientState {
    const { type, mode, wildcard, names, answered, sent, acked } = this;
    const own = { retained: this.#retained, held: this.#held, inStep: this.#inStep, rejected: this.#rejected };
    const holdsUnknown = this.wildcard && this.#leftWildcard;
    return { type, mode, wildcard, names, answered, sent, acked, owed, holdsUnknown, ...own };
  }
}

function add(names: ReadonlySet<string> | "all", more: Iterable<string> | "all"): Set<string> | "all" {
  return names === "all" || more === "all" ? "all" : new Set([...names, ...more]);
}
