import { readFileSync } from "node:fs";
import { join } from "node:path";
import { distancesTo, type Imports, importsBelow, nearestTests } from "./imports.ts";
import { type Mutation, mutationsOf } from "./mutations.ts";
import { Pool, type TaskEnd } from "./pool.ts";
import { type Probe, probeAt, probed } from "./probes.ts";
import type { MutationTarget } from "./targets.ts";
import type { Chosen, Task, TestResult } from "./worker.ts";

export interface Mutant {
  readonly file: string;
  readonly mutation: Mutation;
}

/** How a mutant ended; only the first counts as noticed. */
export type Fate = "killed" | "survived" | "uncovered" | "stuck" | "time-out" | "crash" | "unsteady";

export interface MutantVerdict {
  readonly mutant: Mutant;
  readonly fate: Fate;
  /** The test that noticed it, or how many did not. */
  readonly by: string;
}

export interface CampaignSettings {
  readonly root: string;
  readonly places: readonly MutationTarget[];
  readonly seed: number;
  readonly count: number;
  readonly workers: number;
  /** How long the tests of one mutant may take together, as they took without it. */
  readonly budgetMs: number;
  /** How long a mutant's tests may take, beside ten times what they took without it. */
  readonly limitMs: number;
  /** How many test files are tried for each file, the nearest first. */
  readonly nearest: number;
  /** Only these test files, if there are any. */
  readonly tests: readonly string[];
  /** Where tests and what they import lie. */
  readonly folders: readonly string[];
  readonly print: (line: string) => void;
}

interface KnownTest {
  readonly file: string;
  readonly index: number;
  readonly ms: number;
}

/** The knowledge of one run without mutants: which tests reach which probe. */
interface Coverage {
  readonly probes: ReadonlyMap<string, { readonly first: number; readonly probes: readonly Probe[] }>;
  readonly testsOf: ReadonlyMap<number, readonly KnownTest[]>;
}

/** Plants mutants one at a time, runs the tests that reach their place, and says which ones nobody noticed. */
export class Campaign {
  readonly #settings: CampaignSettings;
  readonly #pool: Pool;
  readonly #imports: Imports;

  constructor(settings: CampaignSettings) {
    this.#settings = settings;
    this.#pool = new Pool(settings);
    this.#imports = importsBelow(settings.root, settings.folders);
  }

  async run(): Promise<readonly MutantVerdict[]> {
    const { print, count, seed } = this.#settings;
    const all = this.#mutants();
    const mutants = sample(all, count, seed);
    print(`${mutants.length} of ${all.length} mutants, seed ${seed}`);
    try {
      const coverage = await this.#coverage(new Set(mutants.map(({ file }) => file)));
      return await this.#confirmed(await this.#verdicts(mutants, coverage));
    } finally {
      this.#pool.stop();
    }
  }

  #mutants(): readonly Mutant[] {
    return this.#settings.places.flatMap(({ file, includes }) => {
      const text = this.#text(file);
      const mutations = mutationsOf(file, text).filter(({ start }) => includes(lineOf(text, start)));
      return mutations.map((mutation) => ({ file, mutation }));
    });
  }

  #text(file: string): string {
    return readFileSync(join(this.#settings.root, file), "utf8");
  }

  async #coverage(files: ReadonlySet<string>): Promise<Coverage> {
    const { tests, nearest, print } = this.#settings;
    const probes = this.#probes(files);
    const candidates =
      tests.length > 0 ? tests : new Set([...files].flatMap((file) => nearestTests(file, this.#imports, nearest)));
    const fresh = [...distancesTo(files, this.#imports).keys()];
    const first = Object.fromEntries([...probes].map(([file, entry]) => [file, entry.first]));
    const items = [...candidates].map((file) => ({
      limitMs: 60_000,
      file,
      task: { fresh, probes: first, chosen: [{ file, tests: "all" as const }] },
    }));
    const testsOf = new Map<number, KnownTest[]>();
    const begun = performance.now();
    let known = 0;
    await this.#pool.run(items, ({ file }, ending) => {
      const results = ending.type === "done" ? ending.result.results : [];
      const failed = results.find(({ error }) => error !== undefined);
      if (ending.type !== "done" || failed !== undefined) {
        print(`set aside: ${file}: ${failed?.title ?? ""} ${failed?.error?.split("\n")[0] ?? ending.type}`);
        return;
      }
      known += results.length;
      for (const { index, ms, reached } of results) {
        for (const probe of new Set(reached)) testsOf.set(probe, [...(testsOf.get(probe) ?? []), { file, index, ms }]);
      }
    });
    print(`${known} tests of ${items.length} files in ${seconds(performance.now() - begun)}`);
    return { probes, testsOf };
  }

  #probes(files: ReadonlySet<string>): Coverage["probes"] {
    let first = 0;
    return new Map(
      [...files].map((file) => {
        const entry = { first, probes: probed(file, this.#text(file), 0).probes };
        first += entry.probes.length;
        return [file, entry];
      }),
    );
  }

  async #verdicts(
    mutants: readonly Mutant[],
    coverage: Coverage,
  ): Promise<readonly (MutantVerdict & { task?: Task })[]> {
    const verdicts: (MutantVerdict & { task?: Task })[] = [];
    const { print, limitMs } = this.#settings;
    const freshFor = new Map<string, readonly string[]>();
    const items = mutants.flatMap((mutant) => {
      const { file, mutation } = mutant;
      const tests = this.#testsFor(mutant, coverage);
      if (tests.length === 0) {
        verdicts.push({ mutant, fate: "uncovered", by: "" });
        return [];
      }
      const fresh = freshFor.get(file) ?? [...distancesTo([file], this.#imports).keys()];
      freshFor.set(file, fresh);
      const task: Task = { fresh, probes: {}, mutant: { file, mutation }, chosen: chosenOf(tests) };
      return [{ mutant, task, limitMs: limitMs + 10 * tests.reduce((sum, { ms }) => sum + ms, 0) }];
    });
    await this.#pool.run(items, ({ mutant, task }, ending) => {
      verdicts.push({ mutant, task, ...fateOf(ending) });
      if (verdicts.length % 100 === 0) print(`${verdicts.length} done`);
    });
    return verdicts;
  }

  /** Tests that reach the mutant, the quickest first, so that the budget pays for as many as it can. */
  #testsFor({ file, mutation }: Mutant, { probes, testsOf }: Coverage): readonly KnownTest[] {
    const entry = probes.get(file);
    const probe = entry === undefined ? undefined : probeAt(entry.probes, mutation.start);
    if (entry === undefined || probe === undefined) return [];
    const known = (testsOf.get(entry.first + probe) ?? []).toSorted((a, b) => a.ms - b.ms);
    let left = this.#settings.budgetMs;
    return known.filter(({ ms }, index) => {
      const fits = index === 0 || ms <= left;
      if (fits) left -= ms;
      return fits;
    });
  }

  /** A test that fails without the mutant as well, when it runs in this company, has noticed nothing. */
  async #confirmed(verdicts: readonly (MutantVerdict & { task?: Task })[]): Promise<readonly MutantVerdict[]> {
    const killers = new Map<string, Task>();
    for (const { fate, by, task } of verdicts) {
      if (fate === "killed" && task !== undefined && !killers.has(by)) killers.set(by, task);
    }
    const unsteady = new Set<string>();
    const items = [...killers].map(([by, { fresh, chosen }]) => ({
      by,
      limitMs: 120_000,
      task: { fresh, probes: {}, chosen },
    }));
    await this.#pool.run(items, ({ by }, ending) => {
      if (ending.type !== "done" || ending.result.results.some((result) => nameOf(result) === by && result.error)) {
        unsteady.add(by);
      }
    });
    return verdicts.map(({ mutant, fate, by }) => ({
      mutant,
      fate: fate === "killed" && unsteady.has(by) ? "unsteady" : fate,
      by,
    }));
  }
}

function fateOf(ending: TaskEnd): { readonly fate: Fate; readonly by: string } {
  if (ending.type !== "done") return { fate: ending.type, by: "" };
  const { results, stuck } = ending.result;
  if (stuck) return { fate: "stuck", by: "" };
  const failed = results.find(({ error }) => error !== undefined);
  return failed === undefined
    ? { fate: "survived", by: `${results.length} tests` }
    : { fate: "killed", by: nameOf(failed) };
}

function nameOf({ file, title }: TestResult): string {
  return `${file} › ${title}`;
}

function chosenOf(tests: readonly KnownTest[]): readonly Chosen[] {
  const files = Map.groupBy(tests, ({ file }) => file);
  return [...files].map(([file, own]) => ({ file, tests: own.map(({ index }) => index).toSorted((a, b) => a - b) }));
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** So many of the items, by chance of this seed, in their own order. */
export function sample<T>(items: readonly T[], count: number, seed: number): readonly T[] {
  const random = randomFrom(seed);
  const keyed = items.map((item, index) => ({ item, index, key: random() }));
  const chosen = keyed.toSorted((a, b) => a.key - b.key).slice(0, count);
  return chosen.toSorted((a, b) => a.index - b.index).map(({ item }) => item);
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
