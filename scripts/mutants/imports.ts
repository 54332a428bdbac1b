import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";

/** The imports between our files, by path from the root of the repository. */
export type Imports = ReadonlyMap<string, readonly string[]>;

export function importsBelow(root: string, folders: readonly string[]): Imports {
  const paths = globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  );
  const known = new Set(paths);
  return new Map(paths.map((path) => [path, importsOf(root, path).filter((imported) => known.has(imported))]));
}

function importsOf(root: string, path: string): readonly string[] {
  const text = readFileSync(join(root, path), "utf8");
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const names = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? "")),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  return names.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(path), name)));
}

/** The number of imports between each file and one of `targets`. Files that reach none are left out. */
export function distancesTo(targets: Iterable<string>, imports: Imports): ReadonlyMap<string, number> {
  const importers = new Map<string, string[]>();
  for (const [path, imported] of imports) {
    for (const target of imported) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  const distances = new Map<string, number>([...targets].map((target) => [target, 0]));
  for (const [path, distance] of distances) {
    for (const importer of importers.get(path) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}

/**
 * Test files that reach this file. First comes the one beside it. Then come those that are near in folders and in
 * imports, and that load little besides it.
 */
export function nearestTests(path: string, imports: Imports, count: number): readonly string[] {
  const tests = [...distancesTo([path], imports)].filter(([test]) => test.endsWith(".test.ts"));
  const own = path.replace(/\.ts$/u, ".test.ts");
  const ranked = tests.map(([test, distance]) => ({
    test,
    rank: test === own ? -1 : foldersBetween(path, test) + distance + reachedFrom(test, imports) / 50,
  }));
  const others = ranked.filter(({ test }) => test !== own);
  const best = Math.min(...others.map(({ rank }) => rank));
  return ranked
    .filter(({ rank }) => rank <= best + farthest)
    .toSorted((a, b) => a.rank - b.rank || (a.test < b.test ? -1 : 1))
    .slice(0, count)
    .map(({ test }) => test);
}

/** How much farther away than the nearest a test may be. */
const farthest = 6;

const sizes = new WeakMap<Imports, Map<string, number>>();

/** The number of files that a test loads. */
function reachedFrom(test: string, imports: Imports): number {
  const known = sizes.get(imports) ?? new Map<string, number>();
  sizes.set(imports, known);
  const size = known.get(test);
  if (size !== undefined) return size;
  const reached = new Set([test]);
  for (const path of reached) for (const imported of imports.get(path) ?? []) reached.add(imported);
  known.set(test, reached.size);
  return reached.size;
}

function foldersBetween(a: string, b: string): number {
  const [from, to] = [dirname(a).split("/"), dirname(b).split("/")];
  const shared = from.findIndex((folder, index) => folder !== to[index]);
  const common = shared < 0 ? from.length : shared;
  return from.length + to.length - 2 * common;
}
