import { expect, onTestFinished, test } from "vitest";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { Campaign, lineOf, sample } from "./campaign.ts";
import { reportOf } from "./report.ts";
import { placesOf } from "./targets.ts";

const code = `export function isAdult(age: number): boolean {
  return age >= 18;
}

export function greeting(name: string): string {
  return name === "" ? "hello" : name;
}

export async function later(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  resolve();
  await promise;
}

export function nobodyCalls(): number {
  return 1;
}
`;

const tests = `import { expect, test } from "vitest";
import { greeting, isAdult, later } from "./code.ts";

test.each([[17, false], [18, true]])("whoever is %i is grown up: %s", (age, adult) => expect(isAdult(age)).toBe(adult));
test("a name is a greeting", () => expect(greeting("a")).toBe("a"));
test("it comes to its end", () => later());
`;

const loop = `export function count(most: number): number {
  let so = 0;
  while (so < most) so++;
  return so;
}
`;

const loopTest = `import { expect, test } from "vitest";
import { count } from "./loop.ts";

test("it is counted", () => expect(count(3)).toBe(3));
`;

async function campaign(target: string, limitMs: number) {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  await tree.write("code.ts", code);
  await tree.write("code.test.ts", tests);
  await tree.write("loop.ts", loop);
  await tree.write("loop.test.ts", loopTest);
  await tree.write("package.json", '{"type":"module"}');
  const said: string[] = [];
  const running = new Campaign({
    root: tree.directory,
    places: placesOf(tree.directory, target),
    seed: 1,
    count: 100,
    workers: 2,
    budgetMs: 2_000,
    limitMs,
    nearest: 3,
    tests: [],
    folders: ["."],
    print: (line) => void said.push(line),
  });
  return { running, said };
}

test("mutants are killed, survive, or get another fate", { timeout: 120_000 }, async () => {
  const { running, said } = await campaign("code.ts", 60_000);
  const verdicts = await running.run();
  const fates = Map.groupBy(verdicts, ({ mutant: { mutation } }) => lineOf(code, mutation.start));
  const at = (line: number) => (fates.get(line) ?? []).map(({ fate }) => fate);
  expect(new Set(at(2))).toEqual(new Set(["killed"]));
  // Nobody asks how somebody without a name is greeted.
  expect(reportOf(verdicts, () => code)).toContain('survived code.ts:6 name === "" → false (1 tests)');
  expect(at(11)).toEqual(["stuck"]);
  expect(new Set(at(16))).toEqual(new Set(["uncovered"]));
  expect(said[0]).toBe(`${verdicts.length} of ${verdicts.length} mutants, seed 1`);
});

test("an endless mutant is a time-out, not a kill", { timeout: 120_000 }, async () => {
  const { running } = await campaign("loop.ts:3", 500);
  const ended = await running.run();
  const endless = ended.find(({ mutant }) => mutant.mutation.text === "so--");
  expect(endless?.fate).toBe("time-out");
});

test("equal seeds choose equal mutants, and different seeds different ones", () => {
  const all = Array.from({ length: 1000 }, (_, index) => index);
  expect(sample(all, 10, 7)).toEqual(sample(all, 10, 7));
  expect(sample(all, 10, 7)).not.toEqual(sample(all, 10, 8));
  expect(sample(all, 2000, 7)).toEqual(all);
});
