import type { ResourceType } from "../resource-type.ts";
import { type NameSet, noNames } from "../resources/name-set.ts";
import {
  type Answer,
  type AnswerOptions,
  answerFor,
  type ClientState,
  nothingRetained,
  type Retained,
  type Target,
} from "./answer.ts";

/** A response the client has not yet spoken on. */
export interface InFlight {
  readonly nonce: string;
  readonly answer: Answer;
}

/** What a client said about a response; `stale` when it speaks of an older one. */
export type Verdict = "ack" | "nack" | "stale";

const nothingHeld: ReadonlyMap<string, string> = new Map();

/**
 * One (connection, type): what the client asked for, what it was sent and what it said to that. Pure state: it never
 * sends. At most one response is unacknowledged; whoever owns this asks {@link due} again when something changed.
 */
export class Subscription {
  readonly type: ResourceType;
  readonly mode: "sotw" | "delta";
  wildcard = false;
  names: NameSet = noNames;
  /** Hash of the bytes that `names` were last read from: a SotW client repeats all of them in every message. */
  namesHash: bigint | undefined;
  /** The reason of the last rejection, until the next acknowledgement. */
  error: string | undefined;
  ackedNonce = "";
  sentNonce = "";
  inFlight: InFlight | undefined;
  sent: Target = [];
  answered = false;
  #overdue = false;
  #retained: Retained = nothingRetained;
  #held = nothingHeld;
  #owed: Set<string> | "all" = new Set();
  /** Names of rejected responses: the client may have taken some of them. They go again with the next change. */
  #uncertain: Set<string> | "all" = new Set();

  constructor(type: ResourceType, mode: "sotw" | "delta") {
    this.type = type;
    this.mode = mode;
  }

  /** True while an unacknowledged response forbids another one. */
  get blocked(): boolean {
    return this.inFlight !== undefined && !this.#overdue;
  }

  /** What the client wants to know about. */
  get asked(): NameSet | "all" {
    return this.wildcard ? "all" : this.names;
  }

  wants(name: string): boolean {
    return this.wildcard || this.names.has(name);
  }

  /** These must leave once more although they did not change. Names nobody asked for are of no interest. */
  owe(names: Iterable<string> | "all"): void {
    this.#owed = add(this.#owed, names === "all" ? "all" : [...names].filter((name) => this.wants(name)));
  }

  /** Versions the client kept from an earlier stream; they shorten the first answer. */
  resume(held: ReadonlyMap<string, string>): void {
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
    this.#uncertain = new Set();
    return "ack";
  }

  /**
   * The next response, or `undefined` when the client has what it should have. What was rejected is not repeated
   * until there is something new to say; then all of it goes again.
   */
  due(target: Target, options: AnswerOptions): Answer | undefined {
    if (this.#hasNothingOpen(target)) return undefined;
    const answer = answerFor(this.#state(this.#owed), target, options);
    if (answer === undefined || (this.#uncertain !== "all" && this.#uncertain.size === 0)) return answer;
    return answerFor(this.#state(add(this.#owed, this.#uncertain)), target, options);
  }

  /** Nothing is due, and everything that was sent was accepted. */
  settled(target: Target): boolean {
    if (!this.answered || this.inFlight !== undefined || this.error !== undefined) return false;
    return this.due(target, { mayRemove: () => true }) === undefined;
  }

  /** The answer has left under this nonce. */
  sendAs(nonce: string, answer: Answer): void {
    this.inFlight = { nonce, answer };
    this.#overdue = false;
    this.sentNonce = nonce;
    this.answered = true;
    this.sent = answer.target;
    this.#retained = answer.retained;
    this.#owed = new Set();
    this.#held = nothingHeld;
  }

  /** By far the most common case, told without looking at any resource. */
  #hasNothingOpen(target: Target): boolean {
    if (!this.answered || this.#owed === "all" || this.#owed.size > 0 || this.#retained.size > 0) return false;
    return target.length === this.sent.length && target.every((set, part) => set === this.sent[part]);
  }

  #state(owed: ReadonlySet<string> | "all"): ClientState {
    const { type, mode, wildcard, names, answered, sent } = this;
    return { type, mode, wildcard, names, answered, sent, retained: this.#retained, held: this.#held, owed };
  }
}

function add(names: ReadonlySet<string> | "all", more: Iterable<string> | "all"): Set<string> | "all" {
  return names === "all" || more === "all" ? "all" : new Set([...names, ...more]);
}
