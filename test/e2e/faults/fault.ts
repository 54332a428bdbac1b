import type { Bound } from "../../../src/testing/eventually.ts";
import type { Random } from "../../../src/testing/random/random.ts";

/** The measurements and findings of one fault. */
export interface FaultOutcome {
  /** From the end of the fault until every client holds the newest state; the worst time if the fault is repeated. */
  readonly recoverySeconds: number;
  /** Resources that a client lacks, holds in an old version, or should not hold, compared with a fresh server. */
  readonly lost: number;
  /** Violations of the rules that the oracle checks (`oracle/recorded-fleet.ts`), and of the rules of this fault. */
  readonly findings: readonly string[];
  /** Another measurement, for the table. */
  readonly figure?: string;
}

interface FaultContext {
  /** The only source of random choices, so that `BINNACLE_SEED` repeats a run. */
  readonly random: Random;
}

/** One row of the fault suite. `docs/reference/faults.md` is made from these rows. */
export interface Fault {
  /** The fault, as a noun. */
  readonly name: string;
  /** The behaviour of Binnacle and of its clients, in sentences for operators. */
  readonly effect: string;
  /** The longest time to recovery, on a quiet machine. */
  readonly bound: Bound;
  /** `whole`: too long for `npm test`; only `npm run faults` runs it. */
  readonly form?: "whole";
  /** The reason why this machine cannot run the fault, if there is one. */
  readonly unavailable?: () => string | undefined | Promise<string | undefined>;
  readonly run: (context: FaultContext) => Promise<FaultOutcome>;
}
