import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** Why the tests of a suite are skipped; the reporter prints it. */
    skipReason?: string;
  }
}

/** The results of one tier (a vitest project). */
interface Tier {
  passed: number;
  failed: number;
  readonly skipped: Skipped[];
  /** Milliseconds on the clock of `performance.now()`; tiers run one after the other. */
  startedAt: number;
  endedAt: number;
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
    return this.#sum((tier) => tier.passed);
  }

  get failed(): number {
    return this.#sum((tier) => tier.failed) + this.#unhandled;
  }

  get skipped(): readonly Skipped[] {
    return Array.from(this.#tiers.values()).flatMap((tier) => tier.skipped);
  }

  /** A line per tier, and per skipped test or file with skipped tests. */
  lines(): string[] {
    const tiers = Array.from(this.#tiers, ([name, tier]) => {
      const tests = tier.passed + tier.failed + tier.skipped.length;
      return `${name.padEnd(10)} ${String(tests).padStart(5)} tests ${seconds(tier.endedAt - tier.startedAt)}`;
    });
    const unhandled = this.#unhandled > 0 ? [`${this.#unhandled} errors outside of every test`] : [];
    return [...tiers, ...unhandled, ...this.#skippedLines()];
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
    const tier = this.#tierOf(module);
    for (const holder of [module, ...module.children.allSuites()]) if (holder.errors().length > 0) tier.failed++;
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === "passed") tier.passed++;
      else if (result.state === "skipped")
        tier.skipped.push({
          file: module.relativeModuleId,
          test: titleOf(test),
          reason: result.note ?? test.meta().skipReason ?? "no reason given",
        });
      else tier.failed++;
    }
  }

  #tierOf(module: TestModule): Tier {
    const known = this.#tiers.get(module.project.name);
    if (known !== undefined) return known;
    const now = performance.now();
    const tier: Tier = { passed: 0, failed: 0, skipped: [], startedAt: now, endedAt: now };
    this.#tiers.set(module.project.name, tier);
    return tier;
  }

  #sum(figure: (tier: Tier) => number): number {
    return Array.from(this.#tiers.values(), figure).reduce((sum, each) => sum + each, 0);
  }
}

function titleOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1).padStart(7)} s`;
}
