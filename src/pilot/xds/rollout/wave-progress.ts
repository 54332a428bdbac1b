import type { Connection } from "../../../xds/connection.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { GateAnswer, Halt } from "./staged-rollout.ts";

/** A proxy that disconnects so often within one wave may fail because of the change. */
const maxDepartures = 3;
/** A proxy that is away for longer is no matter of the wave any more. */
const absentMs = 60_000;
/** If no further proxy of a wave has accepted the change for so long, the wave has failed. */
const answerMs = 60_000;

/** An answer of the gate, with the time of the question. */
export interface AnsweredGate {
  readonly answer: GateAnswer;
  readonly askedAt: number;
}

export interface WaveFacts {
  readonly now: number;
  /** The connections of the waves so far. */
  readonly members: readonly Connection<Proxy>[];
  /** The proxy has been sent everything that is meant for it now. */
  readonly isServed: (connection: Connection<Proxy>) => boolean;
}

/** The answers of the proxies of one wave. */
export class WaveProgress {
  readonly #accepted = new Set<string>();
  /** Proxies that rejected their resources before they had the change. They have no vote. */
  readonly #excused: ReadonlySet<string>;
  readonly #departures = new Map<string, number>();
  readonly #absentSince = new Map<string, number>();
  #expected: Set<string>;
  #progressAt: number;
  #acceptedAt: number | undefined;
  /** When the gate was asked last. */
  askedAt: number | undefined;
  gate: AnsweredGate | undefined;

  /** `expected` are nodes that had the change before this process started. */
  constructor(now: number, excused: Iterable<string>, expected: Iterable<string> = []) {
    this.#progressAt = now;
    this.#expected = new Set(expected);
    this.#excused = new Set(excused);
  }

  get accepted(): number {
    return this.#accepted.size;
  }

  hasAccepted(node: string): boolean {
    return this.#accepted.has(node);
  }

  /** Since when all proxies of the wave have accepted the change. */
  get acceptedAt(): number | undefined {
    return this.#acceptedAt;
  }

  /** The proxies that have not accepted the change yet. */
  get missing(): readonly string[] {
    return [...this.#expected].filter((node) => !this.#accepted.has(node) && !this.#excused.has(node));
  }

  /** All proxies of the wave have been away for long. */
  get isDeserted(): boolean {
    return this.#expected.size === 0;
  }

  /** Returns why the wave has failed, if it has. */
  left(node: string): Halt | undefined {
    const departures = (this.#departures.get(node) ?? 0) + 1;
    this.#departures.set(node, departures);
    if (departures < maxDepartures) return undefined;
    return {
      cause: "disconnects",
      by: node,
      reason: `${node} disconnected ${departures} times since it has the change`,
    };
  }

  /** Returns why the wave has failed, if it has. */
  look({ now, members, isServed }: WaveFacts): Halt | undefined {
    const present = new Set(members.map(({ client }) => client.nodeId));
    this.#noteAbsent(now, present);
    const before = this.#accepted.size;
    for (const connection of members) {
      const { nodeId } = connection.client;
      if (!isServed(connection)) continue;
      const { verdict } = connection;
      if (verdict.type === "rejected" && !this.#excused.has(nodeId)) {
        return { cause: "rejection", by: nodeId, reason: `${nodeId} rejected it: ${verdict.reason}` };
      }
      if (verdict.type === "accepted") this.#accepted.add(nodeId);
    }
    if (this.#accepted.size > before) this.#progressAt = now;
    const { missing } = this;
    if (missing.length > 0) {
      this.#acceptedAt = undefined;
      return now - this.#progressAt < answerMs
        ? undefined
        : { cause: "silence", by: missing[0] ?? "", reason: silentReason(missing) };
    }
    this.#acceptedAt ??= now;
    return undefined;
  }

  #noteAbsent(now: number, present: ReadonlySet<string>): void {
    for (const node of present) this.#absentSince.delete(node);
    for (const node of this.#expected) {
      if (present.has(node)) continue;
      const since = this.#absentSince.get(node) ?? now;
      this.#absentSince.set(node, since);
      if (now - since >= absentMs) this.#expected.delete(node);
      // Time in which nobody could answer does not count.
      else if (!this.#accepted.has(node)) this.#progressAt = now;
    }
    this.#expected = this.#expected.union(present);
  }
}

function silentReason(missing: readonly string[]): string {
  const [first = "", ...others] = missing;
  const more = others.length === 0 ? "" : ` and ${others.length} others`;
  return `no answer for ${answerMs / 1000} s from ${first}${more}`;
}
