import type { Mode } from "../mode.ts";
import type { ResourceType } from "../resource-type.ts";
import { type NameSet, noNames } from "../resources/name-set.ts";
import type { Target } from "../resources/target.ts";
import { HeldVersions } from "../wire/held-versions.ts";
import {
  type Answer,
  type AnswerOptions,
  answerFor,
  type ClientState,
  nothingRetained,
  type Retained,
} from "./answer.ts";
import type { Repetition } from "./repetition.ts";

/** A response the client has not yet spoken on. */
export interface InFlight {
  readonly nonce: string;
  readonly answer: Answer;
}

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
  /** The reason of the last rejection, until the next acknowledgement. */
  error: string | undefined;
  ackedNonce = "";
  sentNonce = "";
  inFlight: InFlight | undefined;
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
  #held = HeldVersions.none;
  #owed: Set<string> | "all" = new Set();
  readonly #why = new Set<Repetition | "asked">();
  /** Names of rejected responses: the client may have taken some of them. They go again with the next change. */
  #uncertain: Set<string> | "all" = new Set();

  constructor(type: ResourceType, mode: Mode, { emptyMeansAll = type.sotw === "whole" } = {}) {
    this.type = type;
    this.mode = mode;
    this.#interest = { wildcard: false, names: noNames, emptyMeansAll, namesHash: undefined };
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
    this.#interest = { ...this.#interest, ...interest };
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

  /** Takes the client's word on the response with this nonce. */
  judge(nonce: string, error: string | undefined): Verdict {
    const current = this.inFlight;
    if (current === undefined || nonce !== current.nonce) return "stale";
    this.inFlight = undefined;
    this.error = error;
    if (error !== undefined) {
      const { whole, resources, removed } = current.answer;
      const names = [...resources.map((resource) => resource.name), ...removed];
      this.#uncertain = add(this.#uncertain, whole ? "all" : names);
      return "nack";
    }
    this.ackedNonce = nonce;
    this.acked = current.answer.target;
    this.#uncertain = new Set();
    return "ack";
  }

  /** Whether there may be something to say, told without looking at any resource. Mostly there is not. */
  mayBeDue(target: Target): boolean {
    if (!this.answered || this.#owed === "all" || this.#owed.size > 0 || this.#retained.size > 0) return true;
    return target.length !== this.sent.length || target.some((set, part) => set !== this.sent[part]);
  }

  /**
   * The next response, or `undefined` when the client has what it should have. What was rejected is not repeated
   * until there is something new to say; then all of it goes again.
   */
  due(target: Target, options: AnswerOptions): Answer | undefined {
    if (!this.mayBeDue(target)) return undefined;
    this.computed++;
    const answer = answerFor(this.#state(this.#owed), target, options);
    if (answer === undefined || (this.#uncertain !== "all" && this.#uncertain.size === 0)) return answer;
    return answerFor(this.#state(add(this.#owed, this.#uncertain)), target, options);
  }

  /** Nothing is due, and everything that was sent was accepted. */
  settled(target: Target): boolean {
    if (!this.answered || this.inFlight !== undefined || this.error !== undefined) return false;
    return this.due(target, { mayRemove: () => true }) === undefined;
  }

  /** Why this answer leaves, if nothing in it is new to the client. */
  repetitionsIn({ news }: Answer): readonly Repetition[] {
    if (news || this.#why.has("asked")) return [];
    if (!this.answered) return ["first_answer"];
    return [...this.#why].filter((why) => why !== "asked");
  }

  /** The answer has left under this nonce, at this time of the clock. */
  sendAs(nonce: string, answer: Answer, now: number): void {
    this.inFlight = { nonce, answer };
    this.#overdue = false;
    this.sentNonce = nonce;
    this.sentAt = now;
    this.answered = true;
    this.sent = answer.target;
    this.#retained = answer.retained;
    this.#owed = new Set();
    this.#why.clear();
    this.#held = HeldVersions.none;
  }

  #state(owed: ReadonlySet<string> | "all"): ClientState {
    const { type, mode, wildcard, names, answered, sent } = this;
    return { type, mode, wildcard, names, answered, sent, retained: this.#retained, held: this.#held, owed };
  }
}

function add(names: ReadonlySet<string> | "all", more: Iterable<string> | "all"): Set<string> | "all" {
  return names === "all" || more === "all" ? "all" : new Set([...names, ...more]);
}
