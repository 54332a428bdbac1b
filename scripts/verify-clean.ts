/**
 * `npm run verify:clean`: tries a fresh clone of HEAD on this machine, like a new user. The home and all caches are
 * empty: npm's, Go's, pip's and Maven's. Measures the time of `npm start` until it is ready, and of `npm test` until it
 * has passed. Both run twice: first cold, then warm.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { Child } from "../test/e2e/support/child.ts";
import { elapsedText } from "./peer.ts";

const root = resolve(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "binnacle-clean-"));
const clone = join(scratch, "clone");
const home = join(scratch, "home");
const longestMs = 2 * 60 * 60_000;

try {
  prepare();
  for (const state of ["cold", "warm"]) {
    report(`npm start, ${state}: ready after`, await timed(() => becomesReady("start")));
    report(`npm test, ${state}: passed after`, await timed(() => passes("test")));
  }
} finally {
  // Go's modules are write-protected.
  spawnSync("chmod", ["-R", "u+w", scratch]);
  rmSync(scratch, { recursive: true, force: true });
}

function prepare(): void {
  const { status } = spawnSync("git", ["clone", "--quiet", root, clone], { stdio: "inherit" });
  if (status !== 0) throw new Error("git clone failed");
  mkdirSync(home);
  const shared = resolve(root, "../shared");
  if (existsSync(shared)) symlinkSync(shared, join(scratch, "shared"));
}

/**
 * Our environment without the additions of the outer npm: its settings, and the project's own tools at the front of
 * PATH. The home differs. The registries are still those of this user.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(?:npm_(?!config_(?:registry|cafile)$)|NODE$|INIT_CWD$|BINNACLE_|XDG_|GO(?:CACHE|MODCACHE|PATH)$)/i;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return {
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
    HOME: home,
    npm_config_userconfig: join(homedir(), ".npmrc"),
    GOENV: join(homedir(), ".config/go/env"),
    PIP_CONFIG_FILE: join(homedir(), ".config/pip/pip.conf"),
    MAVEN_OPTS: `-Dmaven.repo.local=${join(home, ".m2/repository")}`,
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

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function report(what: string, seconds: number): void {
  process.stdout.write(`${what} ${elapsedText(seconds)}\n`);
}
