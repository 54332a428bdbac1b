import { GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import type { WorkGate } from "../../../lib/overload/overload.ts";
import type { Refusal } from "../../../xds/admission.ts";

/** A level lasts at least this long, so an earlier retry would be in vain. */
const firstRetryMs = 5_000;
/** Retry times are spread over this many steps, so that clients do not return all at once. */
const steps = 100;
const stepMs = 100;

/**
 * Refuses new streams of a loaded server. Existing streams continue, and a refused proxy keeps its configuration.
 * UNAVAILABLE makes clients try another replica.
 */
export class LoadLimit {
  readonly #gate: WorkGate;
  #refused = 0;

  constructor(gate: WorkGate) {
    this.#gate = gate;
  }

  refusal(): Refusal | undefined {
    if (this.#gate.paceOf("streams") !== "refused") return undefined;
    this.#gate.shed("streams");
    const retryAfterMs = firstRetryMs + (this.#refused++ % steps) * stepMs;
    const message = `the server is overloaded: ${this.#gate.reason ?? "unknown"}; try again in ${retryAfterMs} ms, or another replica`;
    return { type: "refused", status: GrpcStatus.UNAVAILABLE, message, retryAfterMs };
  }
}
