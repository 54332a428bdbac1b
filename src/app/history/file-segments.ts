import { type FileHandle, mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, errorFrom, MeshError } from "../../lib/errors.ts";
import { beginIn, maxSegmentBytes, type SegmentStore } from "./segment-store.ts";

const ownerOnly = 0o600;
const othersMay = 0o077;

/**
 * Segments as files of a directory that only its owner may read: they say what a whole mesh looks like. Records are added
 * at the end and synced, so a crash or a full disk can cut off the last one only.
 */
export class FileSegments implements SegmentStore {
  readonly #directory: string;
  #current: { readonly name: string; readonly handle: FileHandle } | undefined;
  /** Whether the last write failed, so that the last line may have no end. */
  #isTorn = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async prepare(): Promise<void> {
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const { mode, uid } = await stat(this.#directory);
      if ((mode & othersMay) !== 0) throw this.#refused("other users may read it: run chmod 700");
      if (process.getuid !== undefined && uid !== process.getuid()) throw this.#refused("belongs to another user");
      // The first write of a segment may be long after the start, which is too late to refuse a read-only disk.
      const probe = this.#path(".writable");
      const handle = await open(probe, "w", ownerOnly);
      try {
        await handle.writeFile("\n");
      } finally {
        await handle.close();
      }
      await rm(probe);
    } catch (thrown) {
      if (thrown instanceof MeshError) throw thrown;
      throw new MeshError("bad-option", `${this.#directory}: ${errorFrom(thrown).message}`, { cause: thrown });
    }
  }

  async list() {
    const names = await readdir(this.#directory).catch((thrown: unknown) => {
      throw new MeshError("not-found", `${this.#directory}: ${errorFrom(thrown).message}`, { cause: thrown });
    });
    const found = await Promise.all(
      names.map(async (name) => {
        const begin = beginIn(name);
        if (begin === undefined) return [];
        const bytes = await stat(this.#path(name)).then(({ size }) => size, absent);
        return bytes === undefined ? [] : [{ name, bytes, begin }];
      }),
    );
    return found.flat();
  }

  /** Empty for a segment that was deleted meanwhile. */
  async read(name: string): Promise<string> {
    const path = this.#path(name);
    const size = await stat(path).then(({ size: bytes }) => bytes, absent);
    if (size !== undefined && size > maxSegmentBytes)
      throw new MeshError("limit-exceeded", `${path}: longer than ${maxSegmentBytes} bytes`);
    return size === undefined ? "" : await readFile(path, "utf8");
  }

  async append(name: string, text: string): Promise<void> {
    const handle = await this.#handleOf(name);
    const line = this.#isTorn ? `\n${text}` : text;
    this.#isTorn = true;
    await handle.appendFile(line);
    await handle.datasync();
    this.#isTorn = false;
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  async close(): Promise<void> {
    const handle = this.#current?.handle;
    this.#current = undefined;
    await handle?.close();
  }

  async #handleOf(name: string): Promise<FileHandle> {
    if (this.#current?.name === name) return this.#current.handle;
    await this.close();
    const handle = await open(this.#path(name), "a", ownerOnly);
    this.#current = { name, handle };
    this.#isTorn = false;
    return handle;
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }

  #refused(reason: string): MeshError {
    return new MeshError("bad-option", `${this.#directory}: ${reason}`);
  }
}

/** Undefined for a file that does not exist. Throws all other errors. */
function absent(thrown: unknown): undefined {
  if (codeOf(thrown) !== "ENOENT") throw errorFrom(thrown);
  return undefined;
}
