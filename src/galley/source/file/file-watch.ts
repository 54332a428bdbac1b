import { type FSWatcher, statSync, watch } from "node:fs";
import { basename } from "node:path";
import { codeOf } from "../../../lib/errors.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { notifies } from "./file-system.ts";
import { PathResolver } from "./path-resolver.ts";

/** The polling interval where the system reports no changes. */
const pollMs = 2000;

export interface FileWatchOptions {
  readonly clock: Clock;
  readonly onChange: () => void;
  /** Whether the system reports changes in a directory. */
  readonly notifies?: (directory: string) => boolean;
}

interface Watched {
  /** `polled` if the system reports no changes, `closed` if access is denied. Reading fails then, too. */
  readonly watcher: FSWatcher | "polled" | "closed";
  /** Distinguishes a directory from a successor with the same name. A watcher follows the directory, not the name. */
  readonly identity: string;
}

/** The relevant names in a directory. */
type Names = Set<string> | "all";

/**
 * Reports that something changed in a set of directories; the reader finds out what. Each directory has its own
 * watcher, because operating systems offer nothing else reliably. A watcher sees files written in place, renamed over,
 * created and deleted. Some file systems report no changes, and watches may run out. Then a change is assumed every two
 * seconds. Each look renews the set: call {@link visit} or {@link follow} *before* reading a path, then {@link sweep}.
 */
export class FileWatch {
  readonly #options: Required<FileWatchOptions>;
  readonly #watched = new Map<string, Watched>();
  /** The relevant names by directory: those of the last sweep and, until the next one, those visited since. */
  #names: ReadonlyMap<string, Names> = new Map();
  #visited = new Map<string, Names>();
  #paths = new PathResolver();
  #poll: Cancel | undefined;
  #closed = false;

  constructor(options: FileWatchOptions) {
    this.#options = { notifies, ...options };
  }

  /** Whether the system does not report all changes, as of the last sweep. */
  get polls(): boolean {
    return this.#poll !== undefined;
  }

  /** Every change in the directory counts. Throws when the directory does not exist. */
  visit(directory: string): void {
    this.#visited.set(directory, "all");
    this.#watch(directory);
  }

  /** Changes to the names on the way to the path count, as far as the path exists. */
  async follow(path: string): Promise<void> {
    for (const { directory, entry } of await this.#paths.to(path)) {
      const names = this.#visited.get(directory) ?? new Set();
      if (names !== "all") this.#visited.set(directory, names.add(entry));
      try {
        this.#watch(directory);
      } catch {
        return;
      }
    }
  }

  /** Stops watching directories that were not visited since the last sweep. */
  sweep(): void {
    this.#names = this.#visited;
    this.#visited = new Map();
    this.#paths = new PathResolver();
    for (const directory of this.#watched.keys()) {
      if (!this.#names.has(directory)) this.#drop(directory);
    }
    this.#poll?.();
    const isPolled = this.#watched.values().some(({ watcher }) => watcher === "polled");
    this.#poll = isPolled ? this.#options.clock.after(pollMs, this.#options.onChange) : undefined;
  }

  /** Closes for good: a look in progress opens no new watches. */
  close(): void {
    this.#closed = true;
    this.#visited.clear();
    this.sweep();
  }

  #watch(directory: string): void {
    const { dev, ino } = statSync(directory);
    const identity = `${dev}:${ino}`;
    if (this.#closed || this.#watched.get(directory)?.identity === identity) return;
    this.#drop(directory);
    this.#watched.set(directory, { watcher: this.#open(directory), identity });
  }

  #open(directory: string): Watched["watcher"] {
    if (!this.#options.notifies(directory)) return "polled";
    try {
      const watcher = watch(directory, (event, name) => {
        // The directory itself may be gone, and a successor may reuse its inode number. Then the identity is equal.
        const isGone = event === "rename" && name === basename(directory);
        if (isGone) this.#drop(directory);
        if (isGone || this.#matters(directory, name)) this.#options.onChange();
      });
      return watcher.on("error", () => {
        this.#drop(directory);
        this.#options.onChange();
      });
    } catch (thrown) {
      return codeOf(thrown) === "EACCES" ? "closed" : "polled";
    }
  }

  #matters(directory: string, name: string | null): boolean {
    return [this.#names, this.#visited].some((names) => {
      const known = names.get(directory);
      return known !== undefined && (known === "all" || name === null || known.has(name));
    });
  }

  #drop(directory: string): void {
    const watcher = this.#watched.get(directory)?.watcher;
    if (typeof watcher === "object") watcher.close();
    this.#watched.delete(directory);
  }
}
