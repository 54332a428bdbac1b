import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endingWriters, writingCommands, writtenFiles } from "./e2e/faults/host/written-files.ts";

const root = join(import.meta.dirname, "..");
/** The functions of Node that create, change or remove files. `open` also reads, so a writer has another one as well. */
const writes =
  /\b(?:appendFile|copyFile|cp|createWriteStream|link|mkdir|mkdtemp|rename|rm|rmdir|symlink|truncate|unlink|utimes|write|writeFile)(?:Sync)?\b/u;

/** A module that imports everything may write. */
function mayWrite(names = "{"): boolean {
  return !names.startsWith("{") || writes.test(names);
}

test("the fault suite fills the disk for every file that the code writes", () => {
  const modules = globSync("src/**/*.ts", { cwd: root }).filter(
    (file) => !file.endsWith(".test.ts") && !file.startsWith("src/testing/"),
  );
  const writers = modules.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const imports = text.matchAll(/^import (?!type )(?<names>[^;]*) from "node:fs(?:\/promises)?";/gmu);
    return Array.from(imports).some(({ groups }) => mayWrite(groups?.["names"]));
  });
  const known = Object.values(writtenFiles).map(({ writer }) => writer);
  expect(writers.toSorted()).toEqual([...new Set([...known, ...writingCommands, ...endingWriters])].toSorted());
});
