import { type FSWatcher, statSync, watch } from "node:fs";
import { basename } from "node:path";

interface Watched {
  readonly watcher: FSWatcher;
  /** Tells a directory from another that took its name: a watcher follows the directory, not the name. */
  readonly identity: string;
}

/**
 * Tells when something changed in a set of directories; what changed is for the reader to find out. Each directory
 * is watched on its own, since that is what operating systems offer reliably: it sees files written in place,
 * renamed over, created and deleted. The set is renewed at each look: {@link visit} every directory that matters
 * *before* reading it, then {@link sweep}.
 */
export class FileWatch {
  readonly #onChange: () => void;
  /** By directory and entry. */
  readonly #watched = new Map<string, Watched>();
  readonly #visited = new Set<string>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** With `entry`, only what happens to the entry of that name counts. Throws when it cannot be watched. */
  visit(directory: string, entry?: string): void {
    const id = JSON.stringify([directory, entry]);
    this.#visited.add(id);
    const { dev, ino } = statSync(directory);
    const identity = `${dev}:${ino}`;
    if (this.#watched.get(id)?.identity === identity) return;
    this.#drop(id);
    this.#watched.set(id, { watcher: this.#open(id, directory, entry), identity });
  }

  /** Stops watching what was not visited since the last sweep. */
  sweep(): void {
    for (const id of this.#watched.keys()) {
      if (!this.#visited.has(id)) this.#drop(id);
    }
    this.#visited.clear();
  }

  close(): void {
    this.#visited.clear();
    this.sweep();
  }

  #open(id: string, directory: string, entry: string | undefined): FSWatcher {
    const watcher = watch(directory, (event, name) => {
      // The directory itself may have gone, and its inode number to its successor: the identity would not tell.
      if (event === "rename" && name === basename(directory)) this.#drop(id);
      if (entry === undefined || name === null || name === entry) this.#onChange();
    });
    watcher.on("error", () => {
      this.#drop(id);
      this.#onChange();
    });
    return watcher;
  }

  #drop(id: string): void {
    this.#watched.get(id)?.watcher.close();
    this.#watched.delete(id);
  }
}
