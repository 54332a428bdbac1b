import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** Why the tests of a suite are skipped; the reporter prints it. */
    skipReason?: string;
  }
}

/** The results of one tier (a vitest project). */
interface Tier {
  /** By file. A file that runs again replaces its result. */
  readonly files: Map<string, FileResult>;
  /** Milliseconds on the clock of `performance.now()`; tiers run one after the other. */
  readonly startedAt: number;
  endedAt: number;
}

interface FileResult {
  readonly passed: number;
  /** One entry per failure: the title of the test, or the file if its set-up failed. */
  readonly failures: readonly string[];
  readonly skipped: readonly Skipped[];
}

export interface Skipped {
  readonly file: string;
  readonly test: string;
  readonly reason: string;
}

/**
 * Counts per tier and reports skipped tests with the reason. The default reporter beside it prints progress and errors.
 * Further failures: a file does not load, the set-up of a suite fails, a test never ends, an error occurs outside of
 * every test.
 */
export class TierReporter implements Reporter {
  readonly #tiers = new Map<string, Tier>();
  /** Failures of files that ran again and passed. */
  readonly #unsteady: string[] = [];
  #unhandled = 0;

  onTestModuleQueued(module: TestModule): void {
    this.#tierOf(module);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#tierOf(module).endedAt = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    this.#unhandled += unhandledErrors.length;
    for (const module of modules) this.#count(module);
  }

  get passed(): number {
    return sum(this.#results, ({ passed }) => passed);
  }

  get failed(): number {
    return sum(this.#results, ({ failures }) => failures.length) + this.#unhandled;
  }

  get skipped(): readonly Skipped[] {
    return this.#results.flatMap(({ skipped }) => skipped);
  }

  /** The paths of the files of these tiers with a failure, or nothing if any other tier has a failure. */
  failedFilesOnlyIn(tiers: readonly string[]): string[] {
    const failed = Array.from(this.#tiers, ([tier, { files }]) =>
      Array.from(files).flatMap(([file, { failures }]) => (failures.length > 0 ? [{ tier, file }] : [])),
    ).flat();
    const elsewhere = this.#unhandled > 0 || failed.some(({ tier }) => !tiers.includes(tier));
    return elsewhere ? [] : failed.map(({ file }) => file);
  }

  /** A line per tier, and per skipped test or file with skipped tests. */
  lines(): string[] {
    const tiers = Array.from(this.#tiers, ([name, { files, startedAt, endedAt }]) => {
      const tests = sum(
        Array.from(files.values()),
        ({ passed, failures, skipped }) => passed + failures.length + skipped.length,
      );
      return `${name.padEnd(10)} ${String(tests).padStart(5)} tests ${seconds(endedAt - startedAt)}`;
    });
    const unhandled = this.#unhandled > 0 ? [`${this.#unhandled} errors outside of every test`] : [];
    const unsteady = this.#unsteady.map((title) => `unsteady: ${title}: failed, then passed when its file ran again`);
    return [...tiers, ...unhandled, ...unsteady, ...this.#skippedLines()];
  }

  /** The last line of a run: other programs read it. */
  closingLine(): string {
    const skipped = this.skipped.length > 0 ? `, ${this.skipped.length} skipped` : "";
    return `${this.passed} passed, ${this.failed} failed${skipped}`;
  }

  /** Skipped tests of one file with the same reason share a line. */
  #skippedLines(): string[] {
    const groups = Object.groupBy(this.skipped, ({ file, reason }) => `${file}: ${reason}`);
    return Object.values(groups).flatMap((tests = []) =>
      tests.slice(0, 1).map(({ file, test, reason }) => {
        const named = tests.length === 1 ? test : `${file} (${tests.length} tests)`;
        return `skipped: ${named}: ${reason}`;
      }),
    );
  }

  #count(module: TestModule): void {
    const { files } = this.#tierOf(module);
    const result = resultOf(module);
    const before = files.get(module.moduleId);
    if (before !== undefined && result.failures.length === 0)
      for (const title of before.failures) this.#unsteady.push(title);
    files.set(module.moduleId, result);
  }

  #tierOf(module: TestModule): Tier {
    const known = this.#tiers.get(module.project.name);
    if (known !== undefined) return known;
    const now = performance.now();
    const tier: Tier = { files: new Map(), startedAt: now, endedAt: now };
    this.#tiers.set(module.project.name, tier);
    return tier;
  }

  get #results(): FileResult[] {
    return Array.from(this.#tiers.values()).flatMap(({ files }) => Array.from(files.values()));
  }
}

function resultOf(module: TestModule): FileResult {
  const broken = [module, ...module.children.allSuites()].filter((holder) => holder.errors().length > 0);
  const failures = broken.map(() => module.relativeModuleId);
  const skipped: Skipped[] = [];
  let passed = 0;
  for (const test of module.children.allTests()) {
    const result = test.result();
    if (result.state === "passed") passed++;
    else if (result.state === "skipped")
      skipped.push({
        file: module.relativeModuleId,
        test: titleOf(test),
        reason: result.note ?? test.meta().skipReason ?? "no reason given",
      });
    else failures.push(titleOf(test));
  }
  return { passed, failures, skipped };
}

function sum<T>(items: readonly T[], figure: (item: T) => number): number {
  return items.reduce((total, item) => total + figure(item), 0);
}

function titleOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1).padStart(7)} s`;
}
