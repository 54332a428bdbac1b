import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { root } from "./support/checkout.ts";
import { Child } from "./support/child.ts";

/** The files of the published package, without types: `npm run build` also checks and describes them. */
function builtPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-package-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const flags = ["-p", "tsconfig.build.json", "--noCheck", "--declaration", "false", "--outDir", join(folder, "dist")];
  execFileSync(join(root, "node_modules/.bin/tsc"), flags, { cwd: root });
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  for (const name of ["gen", "node_modules"]) symlinkSync(join(root, name), join(folder, name));
  return folder;
}

const hog = `process.on("SIGUSR2", function plantedHog() { const end = Date.now() + 3000; while (Date.now() < end); });`;

test("the watchdog of the built package logs the stack of a stuck main thread", async () => {
  const main = join(builtPackage(), "dist/cli/main.js");
  const tree = await TempTree.create();
  const any = "127.0.0.1:0";
  const ports = ["--xds", any, "--http", any, "--metrics", any, "--ctrlz", "off"];
  const args = ["serve", tree.directory, ...ports, "--watchdog", "500ms", "--log-format", "json"];
  const imported = `data:text/javascript,${encodeURIComponent(hog)}`;
  const child = new Child(process.execPath, ["--import", imported, main, ...args]);
  onTestFinished(async () => {
    await child.stop();
    await tree.close();
  });
  await child.line(/^ready: /u, { seconds: 60 });
  child.kill("SIGUSR2");
  const { stack } = JSON.parse(await child.logged(/"msg":"main thread is stuck"/u)) as { stack: readonly string[] };
  expect(stack[0]).toMatch(/^plantedHog \(/u);
  await child.logged(/"msg":"main thread continues"/u);
});
