/**
 * Builds the command `binnacle` before the tests, without its dependencies, into a few files. Every server of a test
 * starts in half the time then: from the sources, Node loads over a thousand files one by one.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root, sourceMain } from "../checkout.ts";

const isDependency = /^[^./#]/u;

export default async function buildCommand(): Promise<() => void> {
  // Another tier of the same run has built it.
  if (process.env["BUILT_BINNACLE"] !== undefined) return () => undefined;
  // As deep below the root as the sources: the version is read from there.
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "binnacle-"));
  const bundle = await rolldown({ cwd: root, input: sourceMain, platform: "node", external: isDependency });
  await bundle.write({ dir: folder, format: "esm", keepNames: true });
  await bundle.close();
  process.env["BUILT_BINNACLE"] = join(folder, "main.js");
  return () => {
    delete process.env["BUILT_BINNACLE"];
    rmSync(folder, { recursive: true, force: true });
  };
}
