import { join, resolve } from "node:path";

/** The checkout that is tested, whatever folder a process is started in. */
export const root = resolve(import.meta.dirname, "../../..");

/** The executable `binnacle` in the sources, for Node to run. */
export const sourceMain = join(root, "src/cli/main.ts");

/** The same as `build-command.ts` built it for the tests of processes. Other programs run the sources. */
export const main = process.env["BUILT_BINNACLE"] ?? sourceMain;
