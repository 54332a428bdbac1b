import { afterAll, describe, expect, test } from "vitest";
import { LibrarySubject } from "./library-subject.ts";
import { byGroup, extensionRuns, publicRuns } from "./runs.ts";

const subject = await LibrarySubject.start();
afterAll(() => subject[Symbol.asyncDispose]());

test("there are as many runs as the public suite has", () => {
  expect(publicRuns).toHaveLength(98);
});

describe.each(byGroup(publicRuns))("binnacle/xds, by the public outlines, %s", (_group, runs) => {
  test.each(runs)("$name", async ({ play }) => {
    await expect(play(subject)).resolves.toBeUndefined();
  });
});

describe.each(byGroup(extensionRuns))("binnacle/xds, by our extension, %s", (_group, runs) => {
  test.each(runs)("$name", async ({ play }) => {
    await expect(play(subject)).resolves.toBeUndefined();
  });
});
