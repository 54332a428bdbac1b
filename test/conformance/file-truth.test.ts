import { globSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { LastGood } from "./file-rule.ts";
import { fileBytes, goodBytes } from "./file-texts.ts";
import { firstFiles, type Operation, operation, renaming } from "./file-world.ts";
import { WatchedDirectory } from "./watched-directory.ts";

/** Operations that come too quickly to be seen one by one. */
type Step = readonly Operation[];

const steps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    firstFiles(fileBytes),
    fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), { maxLength: 20, size: "max" }),
  )
  .map(([first, more]) => [first, ...more]);

/** A renaming, so many turns of the event loop after the one before, while the files are being read. */
interface Race {
  readonly turns: number;
  readonly operation: Operation;
}

const races: fc.Arbitrary<readonly (readonly Race[])[]> = fc.array(
  fc.array(fc.record({ turns: fc.nat(25), operation: renaming }), { maxLength: 3 }),
  {
    maxLength: 6,
  },
);

function contentsOf(objects: ReadonlyMap<unknown, Config> = new Map()): readonly string[] {
  const lines = objects
    .values()
    .map(({ kind, name, version, origin }) => `${kind} ${name} ${version} ${origin.reference}`);
  return [...lines].toSorted();
}

async function endsAsAFreshStart(play: readonly Step[]): Promise<void> {
  await using watched = await WatchedDirectory.start();
  const lastGood = new LastGood();
  let issuesBefore = watched.fileIssues;
  for (const step of play) {
    issuesBefore = watched.fileIssues;
    for (const one of step) watched.world.do(one);
    await watched.settled();
    expect(contentsOf(watched.heard.state)).toEqual(contentsOf(lastGood.next(watched.directory)));
  }
  const fresh = await watched.freshStart();
  expect(contentsOf(fresh?.state)).toEqual(contentsOf(lastGood.fresh));
  expect(watched.isMissing).toBe(fresh === undefined);
  expect(watched.fileIssues).toEqual(fresh?.issues ?? issuesBefore);
}

async function neverBlinks(first: Step, rounds: readonly (readonly Race[])[]): Promise<void> {
  await using watched = await WatchedDirectory.start();
  for (const one of first) watched.world.do(one);
  await watched.settled();
  for (const round of rounds) {
    watched.heard.calls.length = 0;
    let lasting = namesIn(watched.directory);
    watched.look();
    for (const { turns, operation: one } of round) {
      for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      watched.world.do(one);
      lasting = lasting.intersection(namesIn(watched.directory));
    }
    await watched.settled();
    const blinked = watched.heard.events.filter((event) => event.type === "deleted" && lasting.has(event.key));
    expect(blinked).toEqual([]);
  }
  expect(contentsOf(watched.heard.state)).toEqual(contentsOf((await watched.freshStart())?.state));
}

/** Of all objects in good files, as a source calls them. */
function namesIn(directory: string): ReadonlySet<string> {
  const texts = globSync(`${directory}/**/*.{yaml,yml}`).map((file) => readFileSync(file, "utf8"));
  return new Set(texts.flatMap((text) => Array.from(text.matchAll(/ name: (\S+)/gu), ([, name]) => `shop/${name}`)));
}

const timeLimitMs = runs(60_000);

/** A case that was found is told in time, though it may not be the smallest. */
function assertProperty(property: fc.IRawProperty<unknown>, count: number): Promise<void> {
  const limits = { interruptAfterTimeLimit: timeLimitMs - 10_000, markInterruptAsFailure: true };
  return Promise.resolve(fc.assert(property, { seed, numRuns: runs(count), ...limits }));
}

describe("a watched directory of files", () => {
  test(
    "equals a fresh start after any changes, except for last good versions of broken documents",
    () => assertProperty(fc.asyncProperty(steps, endsAsAFreshStart), 30),
    timeLimitMs,
  );

  test(
    "never drops an object whose file moves while files are read",
    () => assertProperty(fc.asyncProperty(firstFiles(goodBytes), races, neverBlinks), 20),
    timeLimitMs,
  );
});
