import type { UntrustedProxy } from "./report.ts";

/** So many searches in a row without a result make a proxy useless for searches. */
const maxFailures = 3;
/** More proxies are not remembered: the oldest is forgotten. */
const maxNodes = 1_000;

/**
 * Which proxies can be used for a search. A proxy that rejects everything, or that disconnects again and again, tells
 * nothing about objects.
 */
export class Trust {
  readonly #failures = new Map<string, number>();

  get untrusted(): readonly UntrustedProxy[] {
    const nodes = [...this.#failures.keys()].filter((node) => !this.isTrusted(node));
    return nodes.map((node) => ({ node, reason: "searches without result", until: Number.POSITIVE_INFINITY }));
  }

  isTrusted(node: string): boolean {
    return (this.#failures.get(node) ?? 0) < maxFailures;
  }

  failed(node: string): void {
    const failures = (this.#failures.get(node) ?? 0) + 1;
    this.#failures.delete(node);
    this.#failures.set(node, failures);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxNodes && oldest !== undefined) this.#failures.delete(oldest);
  }

  succeeded(node: string): void {
    this.#failures.delete(node);
  }
}
