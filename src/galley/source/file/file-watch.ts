import { type FSWatcher, statSync, watch } from "node:fs";
import { basename } from "node:path";
import { codeOf } from "../../../lib/errors.ts";
import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { notifies } from "./file-system.ts";
import { Trails } from "./file-trail.ts";

/** How often we look where the system does not tell. */
const pollMs = 2000;

export interface FileWatchOptions {
  readonly clock: Clock;
  readonly onChange: () => void;
  /** Whether the system tells of changes in a directory. */
  readonly notifies?: (directory: string) => boolean;
}

interface Watched {
  /** `polled` where the system does not tell, `closed` where it does not let us in: then nobody can read it either. */
  readonly watcher: FSWatcher | "polled" | "closed";
  /** Tells a directory from another that took its name: a watcher follows the directory, not the name. */
  readonly identity: string;
}

/** The names in a directory that matter. */
type Names = Set<string> | "all";

/**
 * Tells when something changed in a set of directories; what changed is for the reader to find out. Each directory
 * is watched on its own, since that is what operating systems offer reliably: it sees files written in place,
 * renamed over, created and deleted. Where the system cannot tell, because of the file system or because it has run
 * out of watches, a change is supposed every two seconds. The set is renewed at each look: {@link visit} or
 * {@link follow} what matters *before* reading it, then {@link sweep}.
 */
export class FileWatch {
  readonly #options: Required<FileWatchOptions>;
  readonly #watched = new Map<string, Watched>();
  /** What counts, by directory: as of the last sweep and, until the next, what was visited since. */
  #names: ReadonlyMap<string, Names> = new Map();
  #visited = new Map<string, Names>();
  #trails = new Trails();
  #poll: Cancel | undefined;
  #closed = false;

  constructor(options: FileWatchOptions) {
    this.#options = { notifies, ...options };
  }

  /** Everything that happens in the directory counts. Throws when there is no such directory. */
  visit(directory: string): void {
    this.#visited.set(directory, "all");
    this.#watch(directory);
  }

  /** What happens to the names on the way to the path counts, as far as that way goes. */
  async follow(path: string): Promise<void> {
    for (const { directory, entry } of await this.#trails.to(path)) {
      const names = this.#visited.get(directory) ?? new Set();
      if (names !== "all") this.#visited.set(directory, names.add(entry));
      try {
        this.#watch(directory);
      } catch {
        return;
      }
    }
  }

  /** Stops watching what was not visited since the last sweep. */
  sweep(): void {
    this.#names = this.#visited;
    this.#visited = new Map();
    this.#trails = new Trails();
    for (const directory of this.#watched.keys()) {
      if (!this.#names.has(directory)) this.#drop(directory);
    }
    this.#poll?.();
    const isPolled = this.#watched.values().some(({ watcher }) => watcher === "polled");
    this.#poll = isPolled ? this.#options.clock.after(pollMs, this.#options.onChange) : undefined;
  }

  /** For good: a look that is still under way opens no new watches. */
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
        // It may be the directory itself that has gone, and its inode number to its successor: the identity would
        // not tell.
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
