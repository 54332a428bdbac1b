/**
 * `npm run peer -- NAME` prints the path of a real peer's executable, fetching it on first use. Peers live outside
 * the repository, in `$BINNACLE_CACHE` (else `~/.cache/binnacle`), one folder per name and version.
 */
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { withLock } from "./peers/lock.ts";
import { absentCommand, type PeerName, PeerUnavailable, recipes } from "./peers/recipes.ts";

export { type PeerName, PeerUnavailable };

export const knownPeers = Object.keys(recipes).filter(isPeerName);

/** Takes a line of progress. */
export type Say = (line: string) => void;

/** How often a fetch that goes on says so. */
const reminderMs = 30_000;

/**
 * The path of the peer's executable, or of the folder with its executables. Fetches the peer when it is not cached;
 * other processes that want it meanwhile wait. Throws {@link PeerUnavailable} when it is neither cached nor to be had.
 */
export async function peerPath(name: PeerName, say: Say = sayOnStderr): Promise<string> {
  const cache = cacheFolder();
  const folder = await folderOf(name);
  const executable = join(folder, name);
  if (existsSync(executable)) return executable;
  const absent = absentCommand(recipes[name].needs);
  if (absent !== undefined) throw new PeerUnavailable(`${absent} is not installed`);

  await mkdir(cache, { recursive: true });
  const onWait = () => say(`${name}: another process fetches it, waiting`);
  await withLock(join(cache, `.lock-${name}`), onWait, async () => {
    if (!existsSync(executable)) await fetchInto(folder, name, say);
  });
  return executable;
}

/** Whether the peer is in the cache already. */
export async function isCached(name: PeerName): Promise<boolean> {
  return existsSync(join(await folderOf(name), name));
}

function cacheFolder(): string {
  return process.env["BINNACLE_CACHE"] ?? join(homedir(), ".cache/binnacle");
}

async function folderOf(name: PeerName): Promise<string> {
  return join(cacheFolder(), `${name}-${await recipes[name].version()}`);
}

/** Called with the lock of this peer. A rename is atomic, so nobody sees half a peer. */
async function fetchInto(folder: string, name: PeerName, say: Say): Promise<void> {
  const cache = cacheFolder();
  // Left behind by an owner that was killed.
  for (const leftover of globSync(`.fetching-${name}.*`, { cwd: cache }))
    await rm(join(cache, leftover), { recursive: true, force: true });

  const start = performance.now();
  const elapsed = () => elapsedText((performance.now() - start) / 1000);
  say(`${name}: fetching …`);
  const reminder = setInterval(() => say(`${name}: still fetching after ${elapsed()}`), reminderMs);
  const unfinished = await mkdtemp(join(cache, `.fetching-${name}.`));
  try {
    await recipes[name].fetch(unfinished);
    await rename(unfinished, folder);
    say(`${name}: fetched in ${elapsed()}`);
  } finally {
    clearInterval(reminder);
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** `12 s`, `3 min 5 s`. */
export function elapsedText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function sayOnStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

function isPeerName(name: string): name is PeerName {
  return Object.hasOwn(recipes, name);
}

async function main(name: string | undefined): Promise<number> {
  if (name === undefined || !isPeerName(name)) {
    process.stderr.write(`usage: npm run peer -- ${knownPeers.join("|")}\n`);
    return 2;
  }
  try {
    process.stdout.write(`${await peerPath(name)}\n`);
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof PeerUnavailable)) throw thrown;
    process.stderr.write(`${name} is not available: ${thrown.message}\n`);
    return 3;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv[2]);
