/**
 * `npm run zero-drop`, `npm run abuse`, `npm run soak`: a proof at its full size, of which `npm test` runs a part. More
 * arguments go to vitest. `BINNACLE_SEED=N` repeats the random choices of a run.
 */
import { spawnSync } from "node:child_process";

const proofs: Readonly<Record<string, string>> = {
  "zero-drop": "test/e2e/zero-drop.test.ts",
  abuse: "test/e2e/abuse.test.ts",
  soak: "test/e2e/soak.test.ts",
};

const [name = "", ...rest] = process.argv.slice(2);
const file = proofs[name];
if (file === undefined) throw new Error(`expected one of ${Object.keys(proofs).join(", ")}, found "${name}"`);

const env = { ...process.env, BINNACLE_WHOLE: "1" };
const args = ["run", "--project", "load", "--testTimeout", "3600000", file, ...rest];
const result = spawnSync("vitest", args, { stdio: "inherit", env });
process.exitCode = result.status ?? 1;
