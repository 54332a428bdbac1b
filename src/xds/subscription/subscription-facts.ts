import type { Mode } from "../mode.ts";
import type { NameSet } from "../resources/name-set.ts";
import type { Target } from "../resources/target.ts";
import type { ResourceType } from "../resource-type.ts";
import { Interest } from "./interest.ts";
import { SentResponses } from "./sent-responses.ts";
import type { InFlight } from "./unacknowledged-responses.ts";

/** The facts of a subscription that the stream and the pages read: the interest of the client, and what it was sent. */
export class SubscriptionFacts {
  readonly type: ResourceType;
  readonly mode: Mode;
  protected readonly interest: Interest;
  protected readonly responses: SentResponses;

  constructor(type: ResourceType, mode: Mode, legacyWildcard: boolean) {
    this.type = type;
    this.mode = mode;
    this.interest = new Interest(legacyWildcard);
    this.responses = new SentResponses(type);
  }

  /** Empty before the first response. */
  get sentNonce(): string {
    return this.responses.last?.nonce ?? "";
  }

  /** Empty before the first ACK. */
  get ackedNonce(): string {
    return this.responses.lastAcked?.nonce ?? "";
  }

  /** The target of the last response. */
  get sent(): Target {
    return this.responses.last?.target ?? [];
  }

  /** The target at the last ACK. */
  get acked(): Target {
    return this.responses.lastAcked?.target ?? [];
  }

  /** When the last response left, in the clock's milliseconds. */
  get sentAt(): number | undefined {
    return this.responses.last?.at;
  }

  /** True once a response has left on this stream. */
  get answered(): boolean {
    return this.responses.last !== undefined;
  }

  /** The newest response, until its ACK or NACK. */
  get inFlight(): InFlight | undefined {
    return this.responses.inFlight;
  }

  /** Whether the client asked for this name after its first request, and has accepted no answer with it. */
  isNew(name: string): boolean {
    return this.interest.isNew(name);
  }

  /** True while the ACK or NACK of the newest response is awaited. */
  get awaitsAck(): boolean {
    return this.responses.awaitsAck;
  }

  get wildcard(): boolean {
    return this.interest.facts.wildcard;
  }

  get names(): NameSet {
    return this.interest.facts.names;
  }

  get legacyWildcard(): boolean {
    return this.interest.facts.legacyWildcard;
  }

  get namesHash(): bigint | undefined {
    return this.interest.facts.namesHash;
  }

  /** The subscribed names, or all with a wildcard. */
  get asked(): NameSet | "all" {
    return this.wildcard ? "all" : this.names;
  }

  wants(name: string): boolean {
    return this.interest.wants(name);
  }
}
