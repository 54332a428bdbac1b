import { afterAll, describe, expect, test } from "vitest";
import { byGroup, extensionRuns, publicRuns } from "../conformance/xds/runs.ts";
import { ServeSubject } from "../conformance/xds/serve-subject.ts";

const subject = await ServeSubject.start();
afterAll(() => subject[Symbol.asyncDispose]());

describe.each(byGroup(publicRuns))("binnacle serve, by the public outlines, %s", (_group, runs) => {
  test.each(runs)("$name", async ({ play }) => {
    await expect(play(subject)).resolves.toBeUndefined();
  });
});

describe.each(byGroup(extensionRuns))("binnacle serve, by our extension, %s", (_group, runs) => {
  test.each(runs)("$name", async ({ play }) => {
    await expect(play(subject)).resolves.toBeUndefined();
  });
});
