import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { errorFrom } from "../../src/lib/errors.ts";
import { Random } from "../../src/testing/random/random.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { faultRows } from "./faults/fault-rows.ts";
import { type FaultResult, faultTable, recordedFault, violationsOf } from "./faults/fault-table.ts";
import { recordResult } from "./support/recorded-results.ts";
import { atScale } from "./support/scale.ts";

/** Only the command measures time: `npm test` shares the machine. */
const timed = atScale({ quick: false, whole: true });
const recordedFile = join(import.meta.dirname, "faults/recorded.json");
const rows = faultRows.filter(({ form }) => timed || form !== "whole");
const results: FaultResult[] = [];
/** Rows wait most of the time, and share nothing. Only a row that is measured has the machine to itself. */
const options = { timeout: 3_600_000, concurrent: !timed };

/** The command takes long, so each result is printed at once. */
function record(result: FaultResult, violations: readonly string[]): void {
  results.push(result);
  if (timed) process.stdout.write(`\n${[faultTable([result]), ...violations].join("\n")}\n`);
}

describe("clients of a server hold the newest state, and never an older, emptier or less secure one", () => {
  // By `%s`, because vitest shortens a name in `$name`, and then `-t` would not find it.
  test.for(rows.map((fault) => [fault.name, fault] as const))("after %s", options, async ([, fault], { skip }) => {
    const reason = await fault.unavailable?.();
    if (reason !== undefined) {
      record({ fault, outcome: { absent: `skipped: ${reason}` } }, []);
      // In CI nothing may be skipped: the fault runs, and fails.
      if (process.env["CI"] !== "true") skip(reason);
    }
    const outcome = await fault.run({ random: new Random(seed) }).catch((thrown: unknown) => {
      record({ fault, outcome: { absent: `failed: ${errorFrom(thrown).message}` } }, []);
      throw thrown;
    });
    const violations = violationsOf(fault, outcome, { timed });
    record({ fault, outcome }, violations);
    if (timed && violations.length === 0) recordResult(recordedFile, fault.name, recordedFault(outcome));
    expect(violations).toEqual([]);
  });
});

afterAll(() => void process.stdout.write(`\n${faultTable(results)}\n`));
