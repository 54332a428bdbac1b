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

/** What a client said about a response; `stale` when it speaks of an older one. */
export type Verdict = "ack" | "nack" | "stale";

/** Where a client stands: it said no to the last response, has not spoken on it yet, or has taken it. */
export type SyncState = "not sent" | "rejected" | "stale" | "synced";

/** What a client wants to know about. */
interface Interest {
  readonly wildcard: boolean;
  readonly names: NameSet;
  /** True until the client has named something: from then on an empty list means nothing, not all. */
  readonly emptyMeansAll: boolean;
  /** Hash of the bytes that `names` were last read from: a SotW client repeats all of them in every message. */
  readonly namesHash: bigint | undefined;
}

/**
 * One (connection, type): what the client asked for, what it was sent and what it said to that. Pure state: it never
 * sends. At most one response is unacknowledged; whoever owns this asks {@link due} again when something changed.
 */
export class Subscription {
  readonly type: ResourceType;
  readonly mode: Mode;
  /** The reason of the last rejection, until the client has accepted everything that it rejected. */
  error: string | undefined;
  ackedNonce = "";
  sentNonce = "";
  sent: Target = [];
  /** What it had been sent when it last said yes. */
  acked: Target = [];
  /** When the last response left, in the clock's milliseconds. */
  sentAt: number | undefined;
  answered = false;
  /** How many answers were worked out; each costs as much as the client is behind. */
  computed = 0;
  #interest: Interest;
  #overdue = false;
  #retained: Retained = nothingRetained;
  /** What the client was to have when no removal was held back last. */
  #inStep: Target = [];
  #held = HeldVersions.none;
  #owed: Set<string> | "all" = new Set();
  readonly #why = new Set<Repetition | "asked">();
  readonly #unjudged = new Unjudged();
  readonly #rejected = new RejectedNames();
  /** The last answer had news, so that what is to be tried again goes first. They take turns: neither starves. */
  #newsWentLast = false;
  #leftWildcard = false;

  constructor(type: ResourceType, mode: Mode, { emptyMeansAll = type.sotw === "whole" } = {}) {
    this.type = type;
    this.mode = mode;
    this.#interest = { wildcard: false, names: noNames, emptyMeansAll, namesHash: undefined };
  }

  /** The newest response, while the client has not spoken on it. */
  get inFlight(): InFlight | undefined {
    return this.#unjudged.newest;
  }

  /** Why the client rejects what it was last sent, by name. */
  get rejected(): ReadonlyMap<string, string> {
    return this.#rejected.reasons;
  }

  /** True while an unacknowledged response forbids another one. */
  get blocked(): boolean {
    return this.inFlight !== undefined && !this.#overdue && this.type.neverAcknowledged !== true;
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

  get emptyMeansAll(): boolean {
    return this.#interest.emptyMeansAll;
  }

  get namesHash(): bigint | undefined {
    return this.#interest.namesHash;
  }

  /** What the client wants to know about. */
  get asked(): NameSet | "all" {
    return this.wildcard ? "all" : this.names;
  }

  wants(name: string): boolean {
    return this.wildcard || this.names.has(name);
  }

  /** The client wants this from now on; what is not given stays as it was. */
  want(interest: Partial<Interest>): void {
    const { wildcard: wasWildcard } = this;
    this.#interest = { ...this.#interest, ...interest };
    if (wasWildcard !== this.wildcard) this.#changeWildcard();
    // The client drops what it leaves. Should it ask for that again, it holds none of it.
    const kept = [...this.#retained].filter(([name]) => this.wants(name));
    if (kept.length < this.#retained.size) this.#retained = new Map(kept);
    if (this.#rejected.size === 0) return;
    this.#rejected.keepOnly((name) => this.wants(name));
    if (this.#rejected.size === 0) this.error = undefined;
  }

  /**
   * Without the star the client drops all it did not name. With the star again, nobody knows what it holds: nothing, or
   * what it reads now of answers that left before.
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

  /** These must leave although they did not change. Names nobody asked for are of no interest. */
  owe(names: Iterable<string> | "all", why: Repetition | "asked"): void {
    const wanted = names === "all" ? "all" : [...names].filter((name) => this.wants(name));
    if (wanted.length > 0) this.#why.add(why);
    this.#owed = add(this.#owed, wanted);
  }

  /** What the client kept from an earlier stream; it shortens the first answer. */
  resume(held: HeldVersions): void {
    if (!this.answered) this.#held = held;
  }

  /** The acknowledgement is overdue: stop waiting for it, but still accept it. */
  expire(): void {
    this.#overdue = true;
  }

  /** Takes the client's word on the response with this nonce, also when newer ones have left meanwhile. */
  judge(nonce: string, error: string | undefined): Verdict {
    const judged = this.#unjudged.take(nonce);
    if (judged === undefined) return "stale";
    if (error === undefined) this.#accept(judged);
    else this.#reject(judged, error);
    return error === undefined ? "ack" : "nack";
  }

  #accept({ nonce, answer }: InFlight): void {
    // A late word on an overtaken answer takes nothing back.
    if (nonce === this.sentNonce || this.ackedNonce !== this.sentNonce) {
      this.ackedNonce = nonce;
      this.acked = answer.target;
    }
    if (!isComplete(this)) this.#rejected.accept(namesIn(answer, this.mode));
    else if (nonce === this.sentNonce) {
      this.#unjudged.forgetOvertaken();
      this.#rejected.acceptWhole();
    }
    // In SotW nobody can be told that a resource is gone, so nobody can accept that.
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
    // What left again since is judged with the answer that it left in.
    const left = new Set(later.flatMap((each) => namesIn(each, this.mode)));
    const all = namesIn(answer, this.mode);
    const names = all.filter((name) => !left.has(name) && this.wants(name));
    this.#rejected.reject(names, reason, { again: answer.again && !answer.news, alone: all.length === 1 });
    this.#keepAccepted();
  }

  /** Removals that are held back keep what the client accepted, not what it rejected. */
  #keepAccepted(): void {
    const state = this.#state(noNames);
    const kept = Array.from(
      this.#retained,
      ([name, resource]) => [name, resource && acceptedOf(state, resource)] as const,
    );
    this.#retained = new Map(kept);
  }

  /** Whether there may be something to say, told without looking at any resource. Mostly there is not. */
  mayBeDue(target: Target): boolean {
    if (!this.answered || this.#owed === "all" || this.#owed.size > 0 || this.#retained.size > 0) return true;
    if (this.#rejected.batches.length > 0) return true;
    return target.length !== this.sent.length || target.some((set, part) => set !== this.sent[part]);
  }

  /**
   * The next response, or `undefined` when the client has what it should have. News goes without what was rejected: one
   * bad resource must not hold up others. What was rejected goes in answers of its own.
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

  /** Names of a rejected answer, as they were last sent. */
  #tryAgain(): Answer | undefined {
    for (const { names, news } of this.#rejected.batches) {
      const answer = answerFor(this.#state(new Set(names)), this.sent, { mayRemove: () => false });
      if (answer !== undefined) return { ...answer, resent: answer.resources, news, again: true };
    }
    return undefined;
  }

  /** Resources of a complete answer that the client may not have, although they did not change. */
  #doubtful({ target, changed }: Answer): readonly Resource[] {
    const passedOver = this.#unjudged.answers.flatMap((answer) => answer.changed.map(({ name }) => name));
    const names = new Set([...this.#rejected.reasons.keys(), ...passedOver]);
    for (const { name } of changed) names.delete(name);
    return [...names].map((name) => find(target, name)).filter((resource) => resource !== undefined);
  }

  /** Nothing is due, and everything that was sent was accepted. */
  settled(target: Target): boolean {
    if (!this.answered || this.inFlight !== undefined || this.error !== undefined) return false;
    return this.due(target, { mayRemove: () => true }) === undefined;
  }

  /** Why this answer leaves, if nothing in it is new to the client. */
  repetitionsIn({ news, again }: Answer): readonly Repetition[] {
    if (again) return news ? [] : ["rejected_together"];
    if (news || this.#why.has("asked")) return [];
    if (!this.answered) return ["first_answer"];
    return [...this.#why].filter((why) => why !== "asked");
  }

  /** The answer has left under this nonce, at this time of the clock. */
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
