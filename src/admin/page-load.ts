import type { WorkGate } from "../lib/overload/overload.ts";
import { type PageAnswer, type Route, text } from "./route.ts";

/** While pages are slower, one is served in this time. */
const slowerMs = 1_000;
const retryAfter = { "retry-after": "5" };

/**
 * Refuses pages of a loaded server. Probes, metrics, the version and the page about the load are always served: these
 * are cheap, and show what to do.
 */
export class PageLoad {
  readonly #gate: WorkGate;
  readonly #now: () => number;
  #servedAt = Number.NEGATIVE_INFINITY;

  constructor(gate: WorkGate, now: () => number = () => performance.now()) {
    this.#gate = gate;
    this.#now = now;
  }

  refusalOf({ open, vital }: Pick<Route, "open" | "vital">): PageAnswer | undefined {
    if (open === true || vital === true || this.#mayServe()) return undefined;
    this.#gate.shed("pages");
    const reason = this.#gate.reason ?? "unknown";
    const answer = text(`the server is overloaded: ${reason}; see /debug/overload, and try again later`, 503);
    return { ...answer, headers: retryAfter };
  }

  #mayServe(): boolean {
    const pace = this.#gate.paceOf("pages");
    if (pace === "usual") return true;
    if (pace === "refused" || this.#now() - this.#servedAt < slowerMs) return false;
    this.#servedAt = this.#now();
    return true;
  }
}
