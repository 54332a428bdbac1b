import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { corpora, inputsOf } from "./corpus.ts";
import { guarded } from "./oracle.ts";
import { plantedIn, plantedMessage } from "./planted.ts";
import { targets } from "./targets.ts";

const root = resolve(import.meta.dirname, "../..");
const rows = targets.map((target) => [target.name, target] as const);

describe("inputs from outside", () => {
  test.each(rows)("%s: every kept input is read, or refused as it should be", async (_, target) => {
    const inputs = inputsOf(target);
    expect(inputs.size).toBeGreaterThanOrEqual(3);
    const check = guarded(target);
    const failures = new Map<string, unknown>();
    for (const [name, input] of [...inputs, ["nothing", Buffer.alloc(0)] as const])
      await Promise.try(check, input).catch((thrown: unknown) => failures.set(name, thrown));
    await target.close?.();
    expect(failures).toEqual(new Map());
  });

  test("every folder of kept inputs belongs to a target", () => {
    const names = new Set(targets.map(({ name }) => name));
    expect(corpora().filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(rows)("%s: its planted bug has a place in the code", (_, { planted }) => {
    const source = readFileSync(resolve(root, planted.file), "utf8");
    expect(plantedIn(source, planted)).toContain(plantedMessage);
  });
});
