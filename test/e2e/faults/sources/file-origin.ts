import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { execFile } from "node:child_process";
import { MeshDir } from "../../support/mesh-dir.ts";
import { type WrittenObject, yamlOf } from "../oracle/generations.ts";
import type { Origin, SourceSubject } from "./origin.ts";

const run = promisify(execFile);

/** A directory of YAML, one file per object. */
export class FileOrigin implements Origin {
  readonly args = [];
  readonly mesh = new MeshDir();
  readonly #elsewhere = mkdtempSync(join(tmpdir(), "binnacle-away-"));
  readonly #texts = new Map<string, string>();
  /** The time of last modification of new files, in seconds since 1970. Default: now. */
  #seconds: number | undefined;

  get source(): string {
    return `file:${this.mesh.path}`;
  }

  write(objects: readonly WrittenObject[]): Promise<void> {
    for (const object of objects) this.#write(fileOf(object), yamlOf([object]));
    return Promise.resolve();
  }

  /** Cuts every file after half of its text. */
  cutFiles(): void {
    for (const [file, text] of this.#texts) this.mesh.write(file, text.slice(0, text.length / 2));
  }

  mendFiles(): void {
    for (const [file, text] of this.#texts) this.#write(file, text);
  }

  /** Moves the directory away, as an unmounted volume. */
  unmount(): void {
    renameSync(this.mesh.path, join(this.#elsewhere, "mesh"));
  }

  mount(): void {
    renameSync(join(this.#elsewhere, "mesh"), this.mesh.path);
  }

  /** Every file has this time from now on, however often it is written. */
  stopTime(seconds: number): void {
    this.#seconds = seconds;
    this.mendFiles();
  }

  /** A reader of this file would wait for ever. */
  async makePipe(): Promise<void> {
    await run("mkfifo", [join(this.mesh.path, "pipe.yaml")]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.mesh[Symbol.dispose]();
    rmSync(this.#elsewhere, { recursive: true, force: true });
    return Promise.resolve();
  }

  #write(file: string, text: string): void {
    this.#texts.set(file, text);
    this.mesh.write(file, text, this.#seconds);
  }
}

function fileOf({ kind, metadata }: WrittenObject): string {
  return `${kind}-${metadata.name}.yaml`.toLowerCase();
}

export const fileSubject: SourceSubject<FileOrigin> = {
  name: "a directory",
  open: () => Promise.resolve(new FileOrigin()),
  faults: [
    {
      name: "disappears, and comes back",
      effect: "Its objects stay in use. An issue names the directory.",
      bound: { seconds: 5 },
      form: "whole",
      said: /cannot be read, so its last content stays in use/u,
      begin: (origin) => origin.unmount(),
      async end(origin, next) {
        origin.mount();
        await next();
      },
    },
    {
      name: "has only half of every file",
      effect: "Each object keeps its last good version, policies included. Issues name the files.",
      bound: { seconds: 5 },
      form: "whole",
      said: /authorizationpolicy-deny\.yaml: /u,
      begin: (origin) => origin.cutFiles(),
      async end(origin, next) {
        origin.mendFiles();
        await next();
      },
    },
    {
      name: "is restored from a backup, with files of the same old time and the same size",
      effect: "The files are read again. A directory has no versions, so its content is the newest state.",
      bound: { seconds: 5 },
      form: "whole",
      said: /^synced: /u,
      begin: (origin) => origin.stopTime(1_000_000_000),
      end: (_origin, next) => next(),
    },
    {
      name: "has a file that no reader can finish",
      effect: "The other files are followed. An issue names the file.",
      bound: { seconds: 5 },
      form: "whole",
      said: /pipe\.yaml/u,
      begin: (origin) => origin.makePipe(),
      end: (_origin, next) => next(),
    },
  ],
};
