/** A process that runs chosen tests under one mutant after the other. `pool.ts` starts it, and kills it if it hangs. */
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { collect, runCases } from "./harness.ts";
import { applied, type Mutation } from "./mutations.ts";
import { probed, probeHook } from "./probes.ts";

/** Tests of one file: all of them, or those at these places. */
export interface Chosen {
  readonly file: string;
  readonly tests: readonly number[] | "all";
}

export interface Task {
  /** Files whose modules are loaded anew: those that reach a changed file. */
  readonly fresh: readonly string[];
  /** Files with probes that record executed code, each with the number of its first probe. */
  readonly probes: Readonly<Record<string, number>>;
  readonly mutant?: { readonly file: string; readonly mutation: Mutation };
  readonly chosen: readonly Chosen[];
}

export interface TestResult {
  readonly file: string;
  readonly index: number;
  readonly title: string;
  readonly ms: number;
  readonly error?: string;
  readonly reached: readonly number[];
}

export interface TaskResult {
  readonly results: readonly TestResult[];
  /** A test waits for an event that cannot come: nothing is left that could wake the test. */
  readonly stuck: boolean;
  /** A new handle is still open: the next test would not start from the same state. */
  readonly littered: boolean;
}

const root = process.cwd();
const harness = pathToFileURL(join(import.meta.dirname, "harness.ts")).href;
let task: Task = { fresh: [], probes: {}, chosen: [] };
let fresh: ReadonlySet<string> = new Set();
let generation = 0;
let reached = new Set<number>();
let stray: unknown;

Object.assign(globalThis, { [probeHook]: (probe: number) => reached.add(probe) });
process.on("uncaughtException", (error) => {
  stray ??= error;
});
process.on("unhandledRejection", (error) => {
  stray ??= error ?? new Error("a promise was rejected");
});

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === "vitest" && context.parentURL?.split("?")[0] !== harness) {
      return { url: harness, format: "module-typescript", shortCircuit: true };
    }
    const resolved = nextResolve(specifier, context);
    return isFresh(resolved.url) ? { ...resolved, url: `${resolved.url.split("?")[0]}?${generation}` } : resolved;
  },
  load(url, context, nextLoad) {
    if (!isFresh(url)) return nextLoad(url, context);
    return { format: "module", source: codeOf(pathOf(url)), shortCircuit: true };
  },
});

function pathOf(url: string): string {
  return relative(root, fileURLToPath(url.split("?")[0] ?? url));
}

function isFresh(url: string): boolean {
  return url.startsWith("file:") && fresh.has(pathOf(url));
}

/** Unchanged files, without their types. They are loaded again for each mutant. */
const plainCode = new Map<string, string>();

function codeOf(path: string): string {
  const other = otherText(path);
  if (other !== undefined) return stripTypeScriptTypes(other);
  const code = plainCode.get(path) ?? stripTypeScriptTypes(readFileSync(join(root, path), "utf8"));
  plainCode.set(path, code);
  return code;
}

function otherText(path: string): string | undefined {
  const first = task.probes[path];
  const { mutant } = task;
  if (first === undefined && mutant?.file !== path) return undefined;
  const text = readFileSync(join(root, path), "utf8");
  if (mutant?.file === path) return applied(text, mutant.mutation);
  return first === undefined ? undefined : probed(path, text, first).text;
}

async function perform(next: Task): Promise<TaskResult> {
  task = next;
  fresh = new Set(task.fresh);
  generation++;
  const open = process.getActiveResourcesInfo().length;
  const results: TestResult[] = [];
  for (const chosen of task.chosen) {
    results.push(...(await runFile(chosen)));
    if (task.mutant !== undefined && results.some(({ error }) => error !== undefined)) break;
  }
  await new Promise((resolve) => setImmediate(resolve));
  return { results, stuck: false, littered: process.getActiveResourcesInfo().length > open || stray !== undefined };
}

async function runFile({ file, tests }: Chosen): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  stray = undefined;
  reached = new Set();
  try {
    const cases = await collect(() => import(`${pathToFileURL(join(root, file)).href}?${generation}`));
    const byImport = [...reached];
    reached = new Set();
    let begun = performance.now();
    await runCases(cases, tests === "all" ? [...cases.keys()] : tests, ({ index, title, error }) => {
      const failure = error ?? stray;
      const ms = performance.now() - begun;
      const named = failure === undefined ? {} : { error: textOf(failure) };
      results.push({ file, index, title, ms, reached: [...byImport, ...reached], ...named });
      [begun, reached] = [performance.now(), new Set()];
      return failure !== undefined && task.mutant !== undefined ? "stop" : "go on";
    });
  } catch (error) {
    results.push({ file, index: -1, title: "", ms: 0, reached: [], error: textOf(error) });
  }
  return results;
}

function textOf(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error)).slice(0, 300);
}

async function answer(next: Task): Promise<void> {
  // Waiting for the next task does not keep the process alive. If it stays alive, a test cannot end.
  process.channel?.unref();
  const result = await perform(next);
  process.channel?.ref();
  process.send?.(result);
}

process.on("message", (message: Task) => void answer(message));
process.once("beforeExit", () => {
  process.channel?.ref();
  process.send?.({ results: [], stuck: true, littered: true });
});
process.send?.("ready");
