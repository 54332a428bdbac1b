import { type FSWatcher, watch } from "node:fs";
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { FakeClock } from "./fake-clock.ts";

/** A separate directory for one test. Paths are relative to it. */
export class TempTree {
  readonly directory: string;
  readonly #watcher: FSWatcher;
  #fences = 0;
  #fence: { readonly name: string; readonly passed: () => void } | undefined;

  static async create(): Promise<TempTree> {
    return new TempTree(await mkdtemp(join(await realpath(tmpdir()), "binnacle-")));
  }

  private constructor(directory: string) {
    this.directory = directory;
    this.#watcher = watch(directory, (_event, name) => {
      if (name === this.#fence?.name) this.#fence?.passed();
    });
  }

  path(file: string): string {
    return join(this.directory, file);
  }

  /** Writes in place, as `cat >` does. */
  async write(file: string, text: string | Uint8Array): Promise<void> {
    await mkdir(dirname(this.path(file)), { recursive: true });
    await writeFile(this.path(file), text);
  }

  /** Writes a new file and renames it, as most editors do. */
  async replace(file: string, text: string | Uint8Array): Promise<void> {
    const draft = join(dirname(file), ".draft");
    await this.write(draft, text);
    await this.move(draft, file);
  }

  /** Makes `file` a link, or replaces an existing one. `target` is relative to the directory of the link. */
  async link(file: string, target: string): Promise<void> {
    const draft = join(dirname(file), ".link");
    await mkdir(dirname(this.path(file)), { recursive: true });
    await symlink(target, this.path(draft));
    await this.move(draft, file);
  }

  async move(from: string, to: string): Promise<void> {
    await rename(this.path(from), this.path(to));
  }

  async remove(file: string): Promise<void> {
    await rm(this.path(file), { recursive: true });
  }

  /**
   * Resolves when every watcher of this process has received all changes so far. The system reports changes in order,
   * so this waits for a change made now.
   */
  async noticed(): Promise<void> {
    const name = `.fence-${++this.#fences}`;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#fence = { name, passed: resolve };
    await writeFile(this.path(name), "");
    await promise;
  }

  async close(): Promise<void> {
    this.#watcher.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Advances the clock until `source` is idle. Real input and output happen meanwhile. */
export async function settle(source: { idle(): Promise<void> }, clock: FakeClock): Promise<void> {
  const idle = new AbortController();
  const settled = source.idle().finally(() => idle.abort());
  while (!idle.signal.aborted) {
    clock.advance(1000);
    await setImmediate();
  }
  await settled;
}
