import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { FuzzTarget } from "./target.ts";

const corpus = resolve(import.meta.dirname, "corpus");

/** The folder with the kept inputs of a target: texts to begin with, and minimized findings (`found-…`). */
export function corpusOf({ name }: Pick<FuzzTarget, "name">): string {
  return join(corpus, name);
}

/** The names of all folders with kept inputs. */
export function corpora(): readonly string[] {
  return readdirSync(corpus);
}

/** All inputs of a target to begin with, each with a name. */
export function inputsOf(target: FuzzTarget): ReadonlyMap<string, Buffer> {
  const folder = corpusOf(target);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const seeds = (target.seeds?.() ?? []).map((seed, index) => [`seed-${index + 1}`, Buffer.from(seed)] as const);
  return new Map([...seeds, ...files.map((file) => [file, readFileSync(join(folder, file))] as const)]);
}
