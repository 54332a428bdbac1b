/**
 * `npm run differential -- [COUNT]`: compares our validation with the real `istioctl validate` on COUNT mutated
 * documents, by default 50 000. Prints figures, how many documents each known difference explains, and every difference
 * that none explains, which ends the run with 1. BINNACLE_SEED=N repeats the random choices.
 */
import { randomInt } from "node:crypto";
import { Random } from "../src/testing/random/random.ts";
import { type Comparison, compareVerdicts } from "../test/e2e/differential/compare-verdicts.ts";
import { judgeMutations } from "../test/e2e/differential/judge-mutations.ts";
import type { KnownDifference } from "../test/e2e/differential/known/known-difference.ts";
import { knownDifferences } from "../test/e2e/differential/known-differences.ts";
import { peerPath } from "./peer.ts";

/** How many documents are in memory at once. */
const batch = 2500;

const [given = "50000"] = process.argv.slice(2);
const count = Number(given);
if (!Number.isInteger(count) || count < 1) throw new Error(`expected a number of documents, found ${given}`);
const seed = Number(process.env["BINNACLE_SEED"] ?? randomInt(1, 2 ** 31));
process.stdout.write(`seed ${seed}\n`);

const random = new Random(seed);
const istioctl = await peerPath("istioctl");
const totals = { documents: 0, bothAccept: 0, bothRefuse: 0, differences: 0, unexplained: 0 };
const explained = new Map<KnownDifference, number>();
for (let done = 0; done < count; done += batch) {
  add(compareVerdicts(await judgeMutations(istioctl, Math.min(batch, count - done), random)));
}
report();

function add(comparison: Comparison): void {
  for (const name of ["documents", "bothAccept", "bothRefuse", "differences"] as const)
    totals[name] += comparison[name];
  totals.unexplained += comparison.unexplained.length;
  for (const [row, times] of comparison.explained) explained.set(row, (explained.get(row) ?? 0) + times);
  for (const { document, refusedBy, errors } of comparison.unexplained) {
    process.stdout.write(`UNEXPLAINED, refused by ${refusedBy} alone:\n  ${errors.join("\n  ")}\n  ${document.text}\n`);
  }
}

function report(): void {
  process.stdout.write(
    `${totals.documents} documents: ${totals.bothAccept} accepted and ${totals.bothRefuse} refused `,
  );
  process.stdout.write(`by both, ${totals.differences} differences, ${totals.unexplained} of them unexplained\n`);
  for (const row of knownDifferences)
    process.stdout.write(`${String(explained.get(row) ?? 0).padStart(6)}  ${said(row)}\n`);
  if (totals.unexplained > 0) process.exitCode = 1;
}

function said(row: KnownDifference): string {
  const kinds = row.kinds === "all" ? "every kind" : row.kinds.join(", ");
  if (row.type === "theirs") return `istioctl refuses ${kinds}: ${row.said}`;
  return `binnacle refuses ${kinds}: ${row.code} ${row.fields.join(", ")}: ${row.values.said}`;
}
