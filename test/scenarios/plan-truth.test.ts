import fc from "fast-check";
import { expect, test } from "vitest";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { PlannedFleet } from "./plan/planned-fleet.ts";

test("a plan predicts every response, resource and byte of a change for each connected proxy", async () => {
  const count = { changes: 0, effective: 0, inSteps: 0 };
  await fc.assert(
    fc.asyncProperty(interactingEdits, fc.boolean(), async (batches, debounceEndpoints) => {
      const fleet = await PlannedFleet.start({ debounceEndpoints });
      for (const batch of batches) {
        const { predicted, observed, pushes } = await fleet.change(batch);
        // A change of endpoints and of something else leaves in two pushes: then only their sum is as planned.
        const compared = pushes > 1 ? withoutTotals : whole;
        expect(predicted.map(compared)).toEqual(observed.map(compared));
        count.changes += 1;
        if (observed.some((lines) => lines.length > 0)) count.effective += 1;
        if (pushes > 1) count.inSteps += 1;
      }
    }),
    { seed, numRuns: runs(2), endOnFailure: true },
  );
  process.stderr.write(
    `${count.changes} changes, each planned and then made; ${count.effective} sent something, ${count.inSteps} in several pushes\n`,
  );
  expect(count.effective).toBeGreaterThan(0);
});

function whole(lines: readonly string[]): readonly string[] {
  return lines;
}

function withoutTotals(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !/: \d+ responses, /u.test(line));
}
