/**
 * Builds the command `binnacle` before the tests, as the package has it. Every server of a test starts in half the time
 * then: from the sources, Node loads over a thousand files one by one.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "../../../../scripts/build/package.ts";
import { root } from "../checkout.ts";

export default async function buildCommand(): Promise<() => void> {
  // Another tier of the same run has built it.
  if (process.env["BUILT_BINNACLE"] !== undefined) return () => undefined;
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "binnacle-"));
  await buildPackage(folder, { documents: false, sourceMaps: false });
  process.env["BUILT_BINNACLE"] = join(folder, "binnacle.js");
  return () => {
    delete process.env["BUILT_BINNACLE"];
    rmSync(folder, { recursive: true, force: true });
  };
}
