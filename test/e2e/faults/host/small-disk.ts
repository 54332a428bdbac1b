import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf } from "../../../../src/lib/errors.ts";

/** Mounts end with the process. */
const mount = 'mount -t tmpfs -o size=256k,mode=700 none "$0"';
/** The beginning of each kind of disk, before the server starts. */
const beginnings = {
  empty: mount,
  /** The log goes to the disk as well, standard output to the test. Such a disk cannot become read-only. */
  "with the log": `${mount} && exec 2>"$0/log"`,
  full: `${mount} && { head -c 1m /dev/zero > "$0/fill" || true; }`,
  "read-only": `${mount} && mount -o remount,ro "$0"`,
};

/** The reason why this machine has no disks for tests. */
export function smallDiskUnavailable(): string | undefined {
  if (process.getuid?.() !== 0) return "only root may mount file systems";
  try {
    execFileSync("unshare", ["--mount", "true"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "there are no mount namespaces";
  }
}

/** A small file system that only one server sees: the server is in a mount namespace, and the test enters through it. */
export class SmallDisk implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), "binnacle-disk-"));
  readonly path = join(this.#root, "disk");
  readonly #kind: keyof typeof beginnings;

  constructor(kind: keyof typeof beginnings) {
    mkdirSync(this.path);
    this.#kind = kind;
  }

  /** Whether the log of the server goes to the disk. */
  get hasLog(): boolean {
    return this.#kind === "with the log";
  }

  /** A command that mounts the disk and becomes the command after it. */
  get within(): readonly string[] {
    return [
      "unshare",
      "--mount",
      "--propagation",
      "private",
      "sh",
      "-c",
      `${beginnings[this.#kind]} && exec "$@"`,
      this.path,
    ];
  }

  /** A file of the disk, as a process outside finds it. */
  seen(pid: number, file: string): string {
    return join(`/proc/${pid}/root`, this.path, file);
  }

  /** No byte fits any more. */
  fill(pid: number): void {
    for (const size of [4096, 1]) {
      for (let file = 0; file < 1000 && this.#add(pid, `fill-${size}-${file}`, size); file++);
    }
  }

  empty(pid: number): void {
    for (const size of [4096, 1]) {
      for (let file = 0; file < 1000; file++) rmSync(this.seen(pid, `fill-${size}-${file}`), { force: true });
    }
  }

  remount(pid: number, mode: "ro" | "rw"): void {
    execFileSync("nsenter", ["--target", String(pid), "--mount", "mount", "-o", `remount,${mode}`, this.path]);
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #add(pid: number, file: string, size: number): boolean {
    try {
      writeFileSync(this.seen(pid, file), Buffer.alloc(size));
      return true;
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOSPC") throw thrown;
      return false;
    }
  }
}
