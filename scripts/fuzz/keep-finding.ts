import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { errorFrom } from "../../src/lib/errors.ts";
import { corpusOf } from "../../test/fuzz/corpus.ts";
import { guarded } from "../../test/fuzz/oracle.ts";
import type { FuzzTarget } from "../../test/fuzz/target.ts";
import { root } from "./fuzz-folders.ts";
import { minimize } from "./minimize.ts";

/** Minimizes an input that crashed, and keeps it in the corpus of its target. Returns its path. */
export async function keepFinding(target: FuzzTarget, file: string): Promise<string> {
  const input = readFileSync(file);
  const kept = canRunHere(file) ? await minimized(target, input) : input;
  const digest = createHash("sha256").update(kept).digest("hex").slice(0, 8);
  const path = join(corpusOf(target), `found-${digest}`);
  mkdirSync(corpusOf(target), { recursive: true });
  writeFileSync(path, kept);
  return relative(root, path);
}

/** An input that hangs or takes all memory would do so here as well. */
function canRunHere(file: string): boolean {
  return basename(file).startsWith("crash-");
}

async function minimized(target: FuzzTarget, input: Buffer): Promise<Buffer> {
  const check = guarded(target);
  const failure = async (candidate: Buffer): Promise<string | undefined> => {
    try {
      await check(candidate);
      return undefined;
    } catch (thrown) {
      return signatureOf(errorFrom(thrown));
    }
  };
  const wanted = await failure(input);
  if (wanted === undefined) return input;
  return minimize(input, async (candidate) => (await failure(candidate)) === wanted);
}

/** The common facts of two crashes with one cause: the class, and where it was thrown. */
function signatureOf({ name, stack = "" }: Error): string {
  const [, place = ""] = /\n\s+at (.*)/u.exec(stack) ?? [];
  return `${name} ${place}`;
}
