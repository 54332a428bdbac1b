import { expect, test } from "vitest";
import { errorFrom } from "../../../src/lib/errors.ts";
import { faults } from "./faults.ts";
import { FaultyStream } from "./faulty-stream.ts";
import { LibrarySubject } from "./library-subject.ts";
import { extensionRuns, publicRuns } from "./runs.ts";

// Most promises are broken early on; a suite that finds nothing has looked at all of them.
const suite = [...publicRuns, ...extensionRuns];

test("there are at least fifteen faults", () => {
  expect(faults.length).toBeGreaterThanOrEqual(15);
});

// Most faults show when an answer does not come in time: all wait at once.
test.concurrent.each(faults)("the suite detects a server where $name", async (fault) => {
  await using subject = await LibrarySubject.start({
    between: ({ mode }, stream) => new FaultyStream(stream, fault, mode),
    patienceMs: 1_000,
  });
  const mode = fault.sotw === undefined ? "delta" : "sotw";
  const failures: Error[] = [];
  for (const { play } of suite.filter(({ group }) => group.startsWith(mode))) {
    await play(subject).catch((thrown: unknown) => failures.push(errorFrom(thrown)));
    if (failures.length > 0) break;
  }
  expect(failures).toHaveLength(1);
});
