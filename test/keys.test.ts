import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { ProtoWriter } from "../src/lib/proto-writer/proto-writer.ts";
import { type PartInputs, partId } from "../src/pilot/xds/generator.ts";
import { createGenerators } from "../src/pilot/xds/generators.ts";
import { memosIn } from "./key-law.ts";
import { changedKeys, ofEachShape } from "./keys/changed-keys.ts";
import { changesOf } from "./keys/changes.ts";
import { exerciseKeys } from "./keys/exercise.ts";
import { type Memoize, recordedMemos } from "./keys/recorded-memos.ts";
import { RecordedParts } from "./keys/recorded-parts.ts";
import { isSameValue } from "./keys/same-value.ts";

vi.mock(import("../src/lib/memo.ts"), async (original) => {
  const { recordMemos } = await import("./keys/recorded-memos.ts");
  return recordMemos(await original());
});

const src = join(import.meta.dirname, "../src");
const parts = new RecordedParts();

beforeAll(() => exerciseKeys(parts));

describe("the key of a memo", () => {
  test("was used by the exercise, for every memo in the source", () => {
    const paths = globSync("**/*.ts", { cwd: src }).toSorted();
    const declared = paths.flatMap((path) => {
      const memos = memosIn({ path, text: readFileSync(join(src, path), "utf8") });
      return memos.map((name, index) => ({ path, name, index }));
    });
    const unused = declared.filter(({ path, index }) => {
      const memo = recordedMemos.filter((recorded) => recorded.path === path)[index];
      return memo === undefined || memo.values.length === 0;
    });
    expect(unused.map(({ path, name }) => `${path}: extend test/keys/exercise.ts so that it uses ${name}`)).toEqual([]);
    expect(recordedMemos).toHaveLength(declared.length);
    process.stderr.write(`${declared.length} memos, ${recordedMemos.flatMap(({ values }) => values).length} keys\n`);
  });

  test("changes with every input: each object that it holds, and each leaf of its facts", async () => {
    const { memoize } = await vi.importActual<{ memoize: Memoize }>("../src/lib/memo.ts");
    const ignored: string[] = [];
    let inputs = 0;
    for (const { path, values } of recordedMemos) {
      const keyed = memoize(() => ({}));
      for (const { held, facts } of ofEachShape(values)) {
        const value = keyed(held, facts);
        if (keyed([...held], structuredClone(facts)) !== value) ignored.push(`${path}: an equal key counts as another`);
        for (const changed of changedKeys({ held, facts })) {
          if (keyed(changed.held, changed.facts) === value) ignored.push(`${path}: ${changed.path}`);
          inputs += 1;
        }
      }
    }
    expect(ignored).toEqual([]);
    process.stderr.write(`${inputs} inputs of memos changed\n`);
  });

  test("is all that its builder depends on: after all edits, it builds equal values again", () => {
    const outdated = recordedMemos.filter(({ values }) =>
      values.some(({ value, rebuild }) => !isSameValue(rebuild(), value)),
    );
    expect(outdated.map(({ path }) => path)).toEqual([]);
  });
});

describe("the id of a part", () => {
  test("was used by the exercise, for every family", () => {
    const families = createGenerators({ writer: new ProtoWriter() }).flatMap(({ shortName, families: all }) =>
      all.map(({ name }) => `${shortName} ${name}`),
    );
    const used = [...parts.families].filter(([, inputs]) => inputs.length > 0).map(([name]) => name);
    expect(used).toEqual(families);
    process.stderr.write(`${families.length} families, ${[...parts.families.values()].flat().length} parts\n`);
  });

  test("changes with every leaf of the inputs", () => {
    const ignored: string[] = [];
    let changes = 0;
    for (const [family, all] of parts.families) {
      for (const { names, ...facts } of distinct(all)) {
        const named = names === undefined ? {} : { names };
        for (const { path, value } of changesOf(facts)) {
          if (partId({ ...(value as PartInputs), ...named }) === partId({ ...facts, ...named })) {
            ignored.push(`${family}: ${path}`);
          }
          changes += 1;
        }
      }
    }
    expect(ignored).toEqual([]);
    process.stderr.write(`${changes} inputs of parts changed\n`);
  });

  test("is equal only for equal inputs, apart from names", () => {
    const mixed: string[] = [];
    for (const [family, all] of parts.families) {
      for (const sharing of Map.groupBy(all, partId).values()) {
        const [first, ...others] = sharing.map((inputs) => ({ ...inputs, names: undefined }));
        if (others.some((facts) => !isDeepStrictEqual(facts, first))) mixed.push(family);
      }
    }
    expect(mixed).toEqual([]);
  });

  test("tells apart parts with all names, with some names, and without names", () => {
    const ids = [{}, { names: "all" }, { names: new Set(["a"]) }] as const;
    expect(new Set(ids.map(partId)).size).toBe(3);
    expect(partId({ names: new Set(["a"]) })).toBe(partId({ names: new Set(["b"]) }));
  });
});

/** One of all inputs with equal ids. */
function distinct(all: readonly PartInputs[]): readonly PartInputs[] {
  return [...new Map(all.map((inputs) => [partId(inputs), inputs])).values()];
}
