import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { oncePer } from "../../lib/memo.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** One built file. */
export interface DeskFile {
  readonly contentType: string;
  readonly body: Buffer;
}

/** A compressed file has at most this share of its size. Others are sent as they are. */
const worthwhile = 0.9;

/** The body of a file for a client that accepts gzip, if that is shorter. Compressed once. */
export const compressed = oncePer(({ body }: DeskFile): Buffer => {
  const short = gzipSync(body, { level: 9 });
  return short.length < body.length * worthwhile ? short : body;
});

/** The built front-end, read once. A request never becomes a path in the file system. */
export class DeskFiles {
  readonly shell: DeskFile | undefined;
  readonly #assets: ReadonlyMap<string, DeskFile>;

  /** `folder` holds `index.html` and `assets`. Without them the desk is not built. */
  constructor(folder: string) {
    const shell = readIfThere(join(folder, "index.html"));
    this.shell = shell && { contentType: "text/html; charset=utf-8", body: shell };
    this.#assets = new Map(
      namesIn(join(folder, "assets")).flatMap((name) => {
        const contentType = contentTypes[extname(name)];
        const body = contentType === undefined ? undefined : readIfThere(join(folder, "assets", name));
        return contentType === undefined || body === undefined ? [] : [[name, { contentType, body }] as const];
      }),
    );
  }

  asset(name: string): DeskFile | undefined {
    return this.#assets.get(name);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
