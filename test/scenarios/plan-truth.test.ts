import fc from "fast-check";
import { expect, test } from "vitest";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import type { ObjectEdit } from "../../src/testing/mesh/written-objects.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { watchingNodes } from "./plan/fleet-nodes.ts";
import { PlannedFleet } from "./plan/planned-fleet.ts";
import { toldChanges } from "./plan/told-changes.ts";

/** Counts over all changes of a test. */
class Count {
  changes = 0;
  effective = 0;
  inSteps = 0;
  conflicts = 0;
  shared = 0;

  get text(): string {
    return `${this.changes} changes, each planned and then made; ${this.effective} sent something, ${this.inSteps} in several pushes; ${this.conflicts} conflicts began or ended; ${this.shared} predictions were shared`;
  }
}

async function compareChange(fleet: PlannedFleet, batch: readonly ObjectEdit[], count: Count): Promise<void> {
  const { predicted, observed, predictedConflicts, observedConflicts, classes, pushes } = await fleet.change(batch);
  // A change of endpoints and of something else leaves in two pushes: then only their sum is as planned.
  const compared = pushes > 1 ? withoutTotals : whole;
  expect(predicted.map(compared)).toEqual(observed.map(compared));
  expect(predictedConflicts).toEqual(observedConflicts);
  count.changes += 1;
  if (observed.some((lines) => lines.length > 0)) count.effective += 1;
  if (pushes > 1) count.inSteps += 1;
  count.conflicts += observedConflicts.length;
  count.shared += classes.filter((alike, index) => alike > 1 && observed[index]?.length !== 0).length;
}

test("a plan predicts each response of changes that concern one rule each", async () => {
  const count = new Count();
  const fleet = await PlannedFleet.start({ debounceEndpoints: true });
  for (const batch of toldChanges) {
    await compareChange(fleet, batch, count);
    if (count.changes === 1) await fleet.join(watchingNodes);
  }
  process.stderr.write(`${count.text}\n`);
  expect(count.inSteps).toBe(0);
  // An annotation changes nothing.
  expect(count.effective).toBe(toldChanges.length - 1);
  expect(count.conflicts).toBeGreaterThan(3);
  expect(count.shared).toBeGreaterThan(0);
});

test("a plan predicts every response, resource and byte of a change for each connected proxy", async () => {
  const count = new Count();
  await fc.assert(
    fc.asyncProperty(interactingEdits, fc.boolean(), async (batches, debounceEndpoints) => {
      const fleet = await PlannedFleet.start({ debounceEndpoints });
      for (const batch of batches) await compareChange(fleet, batch, count);
    }),
    { seed, numRuns: runs(2), endOnFailure: true },
  );
  process.stderr.write(`${count.text}\n`);
  expect(count.effective).toBeGreaterThan(0);
});

function whole(lines: readonly string[]): readonly string[] {
  return lines;
}

function withoutTotals(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !/: \d+ responses, /u.test(line));
}
