import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { decodeRoots, encodeRoots, type Roots } from "../../ca/roots.ts";
import type { RootStore, StoredRoots } from "../../ca/root-store.ts";
import { codeOf, errorFrom, MeshError } from "../../lib/errors.ts";
import { largest } from "../../lib/extremes.ts";
import type { FileWatch } from "../../galley/source/file/file-watch.ts";

const ownerOnly = 0o600;
const othersMay = 0o077;
const pattern = /^ca-roots\.(\d{1,15})\.json$/u;
const draftPattern = /^\.ca-roots\.[0-9a-f-]{36}$/u;
/** A draft gets its final name within milliseconds. A killed process leaves an older one, with a private key in it. */
const draftMs = 60_000;
/** How often a reading is repeated because another process replaced the file meanwhile. */
const attempts = 5;

export interface FileRootStoreOptions {
  readonly directory: string;
  readonly openWatch: (changed: () => void) => Pick<FileWatch, "visit" | "sweep" | "close">;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
}

/**
 * The roots in a directory of this machine. Each replacement is a new file with the next number, which the system
 * creates for one writer only. So processes need no lock, and a crash leaves either the old roots or the new ones.
 */
export function fileRootStore({ directory, openWatch, timeOfDay }: FileRootStoreOptions): RootStore {
  const fileOf = (number: number) => join(directory, `ca-roots.${number}.json`);

  async function names(): Promise<readonly string[]> {
    return await readdir(directory).catch((thrown: unknown) => absent(thrown) ?? []);
  }

  async function numbers(): Promise<number[]> {
    return (await names()).flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number);
  }

  async function read(): Promise<StoredRoots | undefined> {
    await removeDrafts();
    for (let attempt = 0; attempt < attempts; attempt++) {
      const number = largest(await numbers());
      if (number === Number.NEGATIVE_INFINITY) return undefined;
      const roots = await readRoots(fileOf(number));
      if (roots !== undefined) return { content: roots, revision: String(number) };
    }
    throw new MeshError("unavailable", `${directory}: other processes replace the roots all the time`);
  }

  async function replace(previous: string | undefined, next: Roots): Promise<StoredRoots> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const number = Number(previous ?? 0) + 1;
    const isOurs = (await numbers()).every((other) => other < number) && (await create(fileOf(number), next));
    const stored = await read();
    if (stored === undefined) throw new MeshError("unavailable", `${directory}: the roots were removed`);
    // A writer that was far behind created an old number again.
    if (isOurs && stored.revision !== String(number)) await unlink(fileOf(number)).catch(absent);
    await removeBelow(Number(stored.revision));
    return stored;
  }

  async function create(file: string, roots: Roots): Promise<boolean> {
    const draft = join(directory, `.ca-roots.${randomUUID()}`);
    try {
      await write(draft, roots);
      await link(draft, file);
      await sync(directory);
      return true;
    } catch (thrown) {
      if (codeOf(thrown) === "EEXIST") return false;
      if (codeOf(thrown) !== "ENOENT") throw thrown;
      throw new MeshError("unavailable", `${directory}: a file was removed while it was written`, { cause: thrown });
    } finally {
      await rm(draft, { force: true });
    }
  }

  async function removeDrafts(): Promise<void> {
    for (const name of await names()) {
      if (!draftPattern.test(name)) continue;
      const draft = join(directory, name);
      const modified = (await stat(draft).catch(absent))?.mtimeMs ?? timeOfDay();
      if (timeOfDay() - modified > draftMs) await rm(draft, { force: true });
    }
  }

  async function removeBelow(number: number): Promise<void> {
    for (const old of await numbers()) if (old < number) await unlink(fileOf(old)).catch(absent);
  }

  return {
    read,
    replace,
    watch(onChange) {
      const look = () => {
        watch.visit(directory);
        watch.sweep();
        onChange();
      };
      const watch = openWatch(look);
      look();
      return { stop: () => watch.close() };
    },
  };
}

/** Undefined if the file is gone. */
async function readRoots(file: string): Promise<Roots | undefined> {
  const handle = await open(file).catch(absent);
  if (handle === undefined) return undefined;
  try {
    const { mode } = await handle.stat();
    if ((mode & othersMay) !== 0) {
      throw new MeshError("bad-option", `${file} has a private key that other users may read: run chmod 600`);
    }
    const roots = decodeRoots(await handle.readFile("utf8"));
    if (roots === undefined) throw new MeshError("bad-option", `${file} does not have the roots of an authority`);
    return roots;
  } finally {
    await handle.close();
  }
}

async function write(file: string, roots: Roots): Promise<void> {
  const handle = await open(file, "wx", ownerOnly);
  try {
    await handle.writeFile(encodeRoots(roots).reveal());
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sync(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Undefined for a file or directory that does not exist. Throws all other errors. */
function absent(thrown: unknown): undefined {
  if (codeOf(thrown) !== "ENOENT") throw errorFrom(thrown);
  return undefined;
}
