/**
 * `npm run verify:clean`: what a stranger gets from a fresh clone of HEAD on this machine, with every cache of ours and
 * npm's empty: the seconds until `npm test` has passed, and until `npm start` says that it is ready.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { Child } from "../test/e2e/support/child.ts";

const root = resolve(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "binnacle-clean-"));
const clone = join(scratch, "clone");
const longestMs = 60 * 60_000;

try {
  prepare();
  const testSeconds = await timed(() => passes("test"));
  const startSeconds = await timed(() => becomesReady("start"));
  process.stdout.write(`npm test: ${testSeconds} s\nnpm start: ready after ${startSeconds} s\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function prepare(): void {
  const { status } = spawnSync("git", ["clone", "--quiet", root, clone], { stdio: "inherit" });
  if (status !== 0) throw new Error("git clone failed");
  const shared = resolve(root, "../shared");
  if (existsSync(shared)) symlinkSync(shared, join(scratch, "shared"));
}

/** Ours without what the outer npm put into it: its settings, and the project's own tools at the front of PATH. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(?:npm_(?!config_(?:registry|cafile)$)|NODE$|INIT_CWD$|BINNACLE_)/i;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    npm_config_cache: join(scratch, "npm-cache"),
    BINNACLE_CACHE: join(scratch, "peers"),
  };
}

async function passes(script: string): Promise<void> {
  await using child = npm(script);
  const result = await child.exited;
  if (result !== 0) throw new Error(`npm ${script} ended with ${result}`);
}

async function becomesReady(script: string): Promise<void> {
  await using child = npm(script);
  await child.line(/^ready:/, { seconds: 600 });
}

function npm(script: string): Child {
  const child = new Child("npm", [script], { cwd: clone, env: cleanEnvironment(), group: true, print: true });
  setTimeout(() => child.kill("SIGKILL"), longestMs).unref();
  return child;
}

async function timed(work: () => Promise<void>): Promise<string> {
  const start = performance.now();
  await work();
  return ((performance.now() - start) / 1000).toFixed(1);
}
