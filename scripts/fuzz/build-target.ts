import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { plantedIn } from "../../test/fuzz/planted.ts";
import type { FuzzTarget } from "../../test/fuzz/target.ts";
import { root } from "./fuzz-folders.ts";

const entry = "fuzz-entry";

/**
 * Writes a target, our code below it and its libraries as one file of JavaScript, which Jazzer.js instruments. With
 * `planted`, the file contains the planted bug of the target. Returns its path.
 */
export async function buildTarget(target: FuzzTarget, folder: string, planted: boolean): Promise<string> {
  const plugins = [entryFor(target.name), ...(planted ? [plantBug(target)] : [])];
  const bundle = await rolldown({ cwd: root, input: entry, platform: "node", plugins, logLevel: "silent" });
  const file = join(folder, "target.mjs");
  const { output } = await bundle.generate({ format: "esm", keepNames: true, codeSplitting: false });
  await bundle.close();
  await writeFile(file, output[0].code);
  return file;
}

/** Exports the check under the name that Jazzer.js calls, and says how much CPU time the run took. */
function entryFor(name: string): Plugin {
  const lines = [
    `import { guarded } from ${JSON.stringify(join(root, "test/fuzz/oracle.ts"))};`,
    `import { target } from ${JSON.stringify(join(root, `test/fuzz/targets/${name}.ts`))};`,
    "const check = guarded(target);",
    "export const fuzz = (input) => check(input);",
    'process.once("SIGTERM", () => process.exit(0));',
    'process.on("exit", () => {',
    "  const { user, system } = process.cpuUsage();",
    "  process.stderr.write(`CPU seconds: ${(user + system) / 1e6}\\n`);",
    "});",
  ];
  return {
    name: "fuzz-entry",
    resolveId: (id) => (id === entry ? join(root, "fuzz-entry.ts") : undefined),
    load: (id) => (id === join(root, "fuzz-entry.ts") ? { code: lines.join("\n"), moduleType: "js" } : undefined),
  };
}

function plantBug({ planted }: FuzzTarget): Plugin {
  const file = join(root, planted.file);
  return {
    name: "planted-bug",
    load: async (id) => {
      if (id !== file) return undefined;
      return { code: plantedIn(await readFile(file, "utf8"), planted), moduleType: "ts" };
    },
  };
}
