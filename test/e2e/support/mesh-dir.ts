import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A directory of configuration that the test edits while a server watches it. */
export class MeshDir implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), "binnacle-mesh-"));
  readonly path = join(this.#root, "mesh");

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.path);
    for (const [file, yaml] of Object.entries(files)) this.write(file, yaml);
  }

  /**
   * Creates or replaces a file in one step, as editors do: nobody can read half of it. The file may have an old time, in
   * seconds since 1970.
   */
  write(file: string, yaml: string, seconds?: number): void {
    const target = join(this.path, file);
    const beside = join(this.#root, "unfinished");
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(beside, yaml);
    if (seconds !== undefined) utimesSync(beside, seconds, seconds);
    renameSync(beside, target);
  }

  remove(file: string): void {
    rmSync(join(this.path, file));
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
