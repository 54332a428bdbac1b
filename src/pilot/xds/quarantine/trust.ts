import type { Clock } from "../../../lib/time/clock.ts";
import type { UntrustedProxy } from "./report.ts";

/** So many events in a row make a proxy useless for searches. */
const maxEvents = 3;
/** A proxy that disconnects so often within this time reconnects all the time. */
const flappingMs = 60_000;
/** After this time a proxy is used again. */
const untrustedMs = 600_000;
/** More proxies are not remembered: the oldest is forgotten. */
const maxNodes = 1_000;

interface Record {
  readonly failures: number;
  readonly contradictions: number;
  /** The last disconnections. */
  readonly leftAt: readonly number[];
  readonly untrusted: Omit<UntrustedProxy, "node"> | undefined;
}

const spotless: Record = { failures: 0, contradictions: 0, leftAt: [], untrusted: undefined };

/**
 * The proxies that can be used for a search. A proxy tells nothing about objects if it rejects everything, contradicts
 * its class or itself, or disconnects again and again.
 */
export class Trust {
  readonly #clock: Clock;
  readonly #records = new Map<string, Record>();
  readonly #onLost: (node: string) => void;

  /** `onLost` is called when the verdicts of a proxy no longer count. */
  constructor(clock: Clock, onLost: (node: string) => void = () => undefined) {
    this.#clock = clock;
    this.#onLost = onLost;
  }

  get untrusted(): readonly UntrustedProxy[] {
    const now = this.#clock.now();
    return [...this.#records].flatMap(([node, { untrusted }]) =>
      untrusted === undefined || untrusted.until <= now ? [] : [{ node, ...untrusted }],
    );
  }

  isTrusted(node: string): boolean {
    const until = this.#records.get(node)?.untrusted?.until;
    return until === undefined || until <= this.#clock.now();
  }

  /** A search on the proxy ended without a result. */
  failed(node: string): void {
    const before = this.#of(node);
    const failures = before.failures + 1;
    this.#set(node, { ...before, failures }, failures >= maxEvents ? "searches without result" : undefined);
  }

  /** Another proxy of its class accepted an object that it refused. */
  contradicted(node: string): void {
    const before = this.#of(node);
    const contradictions = before.contradictions + 1;
    this.#set(node, { ...before, contradictions }, contradictions >= maxEvents ? "contradicted" : undefined);
  }

  /** The proxy accepted and rejected the same mesh. */
  changedVerdict(node: string): void {
    this.#set(node, this.#of(node), "changes its verdict");
  }

  /** A search on the proxy found the objects that it refuses. */
  succeeded(node: string): void {
    const before = this.#records.get(node);
    if (before !== undefined) this.#set(node, { ...before, failures: 0 }, undefined);
  }

  /** The proxy has disconnected. */
  left(node: string): void {
    const now = this.#clock.now();
    const before = this.#of(node);
    const leftAt = [...before.leftAt.filter((at) => now - at < flappingMs), now];
    this.#set(node, { ...before, leftAt }, leftAt.length > maxEvents ? "reconnects" : undefined);
  }

  #of(node: string): Record {
    return this.#records.get(node) ?? spotless;
  }

  #set(node: string, record: Record, reason: UntrustedProxy["reason"] | undefined): void {
    this.#records.delete(node);
    const until = this.#clock.now() + untrustedMs;
    this.#records.set(node, reason === undefined ? record : { ...spotless, untrusted: { reason, until } });
    const [oldest] = this.#records.keys();
    if (this.#records.size > maxNodes && oldest !== undefined) this.#records.delete(oldest);
    // A proxy that disconnects has not said anything wrong.
    if (reason !== undefined && reason !== "reconnects") this.#onLost(node);
  }
}
