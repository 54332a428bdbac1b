import { join, resolve } from "node:path";

/** The checkout that is tested, whatever folder a process is started in. */
export const root = resolve(import.meta.dirname, "../../..");

/** The executable `binnacle`, for Node to run. */
export const main = join(root, "src/cli/main.ts");
