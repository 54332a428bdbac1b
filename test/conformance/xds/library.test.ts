import { afterAll, describe, expect, test } from "vitest";
import { LibrarySubject } from "./library-subject.ts";
import { extensionRuns, publicRuns, type Run } from "./runs.ts";

const subject = await LibrarySubject.start();
afterAll(() => subject[Symbol.asyncDispose]());

test("there are as many runs as the public suite has", () => {
  expect(publicRuns).toHaveLength(98);
});

function testAll(runs: readonly Run[]): void {
  for (const [group, members] of Map.groupBy(runs, (run) => run.group)) {
    describe(group, () => {
      test.each(members)("$name", ({ play }) => play(subject));
    });
  }
}

describe("binnacle/xds, by the public outlines", () => testAll(publicRuns));
describe("binnacle/xds, by our extension", () => testAll(extensionRuns));
