import type { Duration } from "../duration.ts";
import type { Fraction } from "./fraction.ts";

/** What goes wrong on purpose: some requests are held back, some are failed, some are both in this order. */
export interface Fault {
  readonly delay: FaultDelay | undefined;
  readonly abort: FaultAbort | undefined;
}

/** Some requests are held back for so long. */
export interface FaultDelay {
  readonly duration: Duration;
  readonly fraction: Fraction;
}

/** Some requests are answered with this status. */
export interface FaultAbort {
  readonly status: { readonly type: "http" | "grpc"; readonly code: number };
  readonly fraction: Fraction;
}
