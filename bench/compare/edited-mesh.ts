import { MeshDir } from "../../test/e2e/support/mesh-dir.ts";
import type { Workload } from "./workloads.ts";

/** A mesh as a directory. */
export class EditedMesh implements Disposable {
  readonly #directory: MeshDir;
  #files: Workload["files"];

  constructor(files: Workload["files"]) {
    this.#files = files;
    this.#directory = new MeshDir(files);
  }

  get path(): string {
    return this.#directory.path;
  }

  /** Writes the files that differ. */
  become(files: Workload["files"]): void {
    for (const [file, text] of Object.entries(files)) if (text !== this.#files[file]) this.#directory.write(file, text);
    this.#files = files;
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}
