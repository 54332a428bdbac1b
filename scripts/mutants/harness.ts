/**
 * Replaces `vitest` for test files in a mutant's process. It has vitest's own `expect`. Its runner runs chosen tests of
 * a file again and again without a restart.
 */
import { expect, expectTypeOf, vi } from "vitest";

export { expect, expectTypeOf, vi };

type Step = (...args: readonly unknown[]) => unknown;
type Hook = "beforeAll" | "beforeEach" | "afterEach" | "afterAll";

interface Suite {
  readonly parent: Suite | undefined;
  readonly hooks: Readonly<Record<Hook, Step[]>>;
}

export interface Case {
  readonly title: string;
  readonly suite: Suite;
  readonly run: () => unknown;
  readonly fails: boolean;
  readonly skipped: boolean;
}

let cases: Case[] = [];
let suite = newSuite(undefined);
let finishers: Step[] = [];

function newSuite(parent: Suite | undefined): Suite {
  return { parent, hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] } };
}

/** The tests that a file declares while it is imported. */
export async function collect(importFile: () => Promise<unknown>): Promise<readonly Case[]> {
  cases = [];
  suite = newSuite(undefined);
  await importFile();
  return cases;
}

const hook =
  (name: Hook) =>
  (step: Step): void => {
    suite.hooks[name].push(step);
  };
export const beforeAll = hook("beforeAll");
export const beforeEach = hook("beforeEach");
export const afterEach = hook("afterEach");
export const afterAll = hook("afterAll");
export const onTestFinished = (step: Step): void => {
  finishers.push(step);
};

/** `(title, step)`, `(title, options, step)` and `(title, step, timeout)` all have one function. */
function stepOf(args: readonly unknown[]): Step {
  const step = args.find((arg): arg is Step => typeof arg === "function");
  if (step === undefined) throw new Error("a test has a function");
  return step;
}

const rowOf = (row: unknown): readonly unknown[] => (Array.isArray(row) ? row : [row]);

function declare(traits: { readonly fails: boolean; readonly skipped: boolean }) {
  const add = (title: string, run: () => unknown): number => cases.push({ title, suite, run, ...traits });
  const one = (title: string, ...rest: readonly unknown[]): void => {
    const step = traits.skipped ? () => undefined : stepOf(rest);
    add(title, () => step({}));
  };
  const each =
    (rows: readonly unknown[]) =>
    (title: string, ...rest: readonly unknown[]): void => {
      const step = stepOf(rest);
      for (const [index, row] of rows.entries()) add(`${title} #${index + 1}`, () => step(...rowOf(row)));
    };
  return Object.assign(one, { each });
}

const run = declare({ fails: false, skipped: false });
const skip = declare({ fails: false, skipped: true });
export const test = Object.assign(run, {
  fails: declare({ fails: true, skipped: false }),
  skip,
  todo: skip,
  skipIf: (condition: unknown) => (condition ? skip : run),
  runIf: (condition: unknown) => (condition ? run : skip),
});

function inSuite(step: () => unknown): void {
  const outer = suite;
  suite = newSuite(outer);
  try {
    if (step() instanceof Promise) throw new Error("a suite that awaits is not known here");
  } finally {
    suite = outer;
  }
}

const describeRun = (_title: string, ...rest: readonly unknown[]): void => inSuite(() => stepOf(rest)());
const describeSkip = (): void => undefined;
export const describe = Object.assign(describeRun, {
  each:
    (rows: readonly unknown[]) =>
    (_title: string, ...rest: readonly unknown[]): void => {
      for (const row of rows) inSuite(() => stepOf(rest)(...rowOf(row)));
    },
  skip: describeSkip,
  skipIf: (condition: unknown) => (condition ? describeSkip : describeRun),
  runIf: (condition: unknown) => (condition ? describeRun : describeSkip),
});

export interface TestOutcome {
  readonly index: number;
  readonly title: string;
  readonly error: unknown;
}

/** Runs these tests in their order, and reports how each ended. Ends early when `onEnd` requests it. */
export async function runCases(
  all: readonly Case[],
  chosen: readonly number[],
  onEnd: (outcome: TestOutcome) => "go on" | "stop",
): Promise<void> {
  let entered: readonly Suite[] = [];
  for (const index of chosen) {
    const { title, suite: own, run: step, fails, skipped } = all[index] ?? nothing;
    if (skipped) continue;
    const path = pathTo(own);
    let error: unknown;
    try {
      entered = await enter(entered, path);
      await runOne(path, step);
      if (fails) error = new Error("was to fail");
    } catch (thrown) {
      if (!fails) error = thrown ?? new Error("nothing was thrown");
    }
    if (onEnd({ index, title, error }) === "stop") break;
  }
  await enter(entered, []).catch(() => undefined);
}

const nothing: Case = { title: "", suite, run: () => undefined, fails: false, skipped: true };

function pathTo(inner: Suite | undefined): readonly Suite[] {
  return inner === undefined ? [] : [...pathTo(inner.parent), inner];
}

async function enter(from: readonly Suite[], to: readonly Suite[]): Promise<readonly Suite[]> {
  for (const left of from.toReversed()) {
    if (!to.includes(left)) for (const step of left.hooks.afterAll.toReversed()) await step();
  }
  for (const entered of to) {
    if (from.includes(entered)) continue;
    for (const step of entered.hooks.beforeAll) {
      const undo = await step();
      if (typeof undo === "function") entered.hooks.afterAll.push(undo as Step);
    }
  }
  return to;
}

async function runOne(path: readonly Suite[], step: () => unknown): Promise<void> {
  finishers = [];
  const undoing: Step[] = [];
  try {
    for (const { hooks } of path) {
      for (const before of hooks.beforeEach) {
        const undo = await before({});
        if (typeof undo === "function") undoing.push(undo as Step);
      }
    }
    await step();
  } finally {
    for (const { hooks } of path.toReversed()) for (const after of hooks.afterEach.toReversed()) await after({});
    for (const undo of undoing.toReversed()) await undo();
    for (const finish of finishers.toReversed()) await finish();
  }
}
