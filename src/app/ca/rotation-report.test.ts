import { expect, test } from "vitest";
import { beginRotation, firstRoots, rotationTimes } from "../../ca/rotation.ts";
import { madeIntermediate, madeRoot } from "../../testing/ca/made-authority.ts";
import { rotationReport } from "./rotation-report.ts";

const times = rotationTimes(3_600_000);

test("the report names the phase, its end, and every certificate, but no key", async () => {
  const root = await madeRoot("root");
  const signing = await madeIntermediate("below", root);
  const next = await madeRoot("next");
  const roots = beginRotation(firstRoots(signing, times, 0), next, 0);
  const report = rotationReport({ roots, current: undefined }, times);
  expect(report).toMatchObject({
    phase: "distribute",
    phaseSince: "1970-01-01T00:00:00.000Z",
    phaseEnds: "1970-01-01T01:16:00.000Z",
    signs: false,
    signing: [{ subject: "O=below" }, { subject: "O=root" }],
    next: { subject: "O=next", fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/u) },
    trusted: [{ subject: "O=root" }, { subject: "O=next" }],
  });
  expect(JSON.stringify(report)).not.toContain("PRIVATE");
});

test("an authority that has not started has no report", () => {
  expect(rotationReport({ roots: undefined, current: undefined }, times)).toBeUndefined();
});
