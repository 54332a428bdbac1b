import { Supervisor } from "../../lib/supervisor.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { FakeClock } from "../fake-clock.ts";

/** A supervisor that remembers which parts failed, and with what. */
export class FailingParts extends Supervisor {
  readonly failures: (readonly [part: string, error: unknown])[];

  constructor(clock: Clock = new FakeClock()) {
    const failures: (readonly [string, unknown])[] = [];
    super({ clock, onFailure: (part, error) => void failures.push([part, error]) });
    this.failures = failures;
  }
}
