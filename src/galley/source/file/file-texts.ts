import { statSync } from "node:fs";
import { errorFrom } from "../../../lib/errors.ts";
import { type FileStamp, readStamped, type StampedText, stampOf } from "./file-read.ts";

/**
 * A file system keeps times in steps: of a few milliseconds, or of two seconds on the oldest ones. Two writes within one
 * step leave the same stamp. So the stamp of a file that was just written proves nothing.
 */
const settledMs = 3_000;

export interface FileTextsOptions {
  readonly read?: (path: string) => Promise<StampedText>;
  /** The time of the system in milliseconds, as file systems note it. */
  readonly nowMs?: () => number;
}

/**
 * The texts of files. A file is read again only if its stamp has changed, because a look at a mesh of ten thousand files
 * follows every edit of one. Every change of a file changes its stamp: no program can set the time of the last change of
 * status (`ctime`).
 */
export class FileTexts {
  readonly #options: Required<FileTextsOptions>;
  #known = new Map<string, StampedText>();
  #visited = new Map<string, StampedText>();

  constructor(options: FileTextsOptions = {}) {
    this.#options = { read: readStamped, nowMs: Date.now, ...options };
  }

  /** The text of a file since the last {@link sweep}, if its stamp proves that it is unchanged. */
  unchanged(file: string): string | undefined {
    const known = this.#known.get(file);
    if (known === undefined || !isSame(known.stamp, stampAt(file))) return undefined;
    this.#visited.set(file, known);
    return known.text;
  }

  async read(file: string): Promise<string | Error> {
    try {
      const startedMs = this.#options.nowMs();
      const stamped = await this.#options.read(file);
      if (Number(stamped.stamp.changedNs / 1_000_000n) + settledMs < startedMs) this.#visited.set(file, stamped);
      return stamped.text;
    } catch (thrown) {
      return errorFrom(thrown);
    }
  }

  /** Forgets the files that were not asked for since the last sweep. */
  sweep(): void {
    this.#known = this.#visited;
    this.#visited = new Map();
  }
}

function stampAt(file: string): FileStamp | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats && stampOf(stats);
  } catch {
    // The read says why.
    return undefined;
  }
}

function isSame(before: FileStamp, now: FileStamp | undefined): boolean {
  return (
    now !== undefined &&
    before.device === now.device &&
    before.inode === now.inode &&
    before.bytes === now.bytes &&
    before.writtenNs === now.writtenNs &&
    before.changedNs === now.changedNs
  );
}
