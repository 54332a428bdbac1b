import type { Duration } from "../duration.ts";
import type { Fraction } from "./fraction.ts";

/** Fault injection: delays some requests, aborts some, or delays and then aborts some. */
export interface Fault {
  readonly delay: FaultDelay | undefined;
  readonly abort: FaultAbort | undefined;
}

/** Delays some requests by this time. */
export interface FaultDelay {
  readonly duration: Duration;
  readonly fraction: Fraction;
}

/** Aborts some requests with this status. */
export interface FaultAbort {
  readonly status: { readonly type: "http" | "grpc"; readonly code: number };
  readonly fraction: Fraction;
}
