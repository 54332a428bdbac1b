import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DocumentStore, StoredDocument } from "../../lib/document-store.ts";
import { codeOf, errorFrom, MeshError } from "../../lib/errors.ts";

const ownerOnly = 0o600;
const othersMay = 0o077;
/** Longer files are not ours. */
const maxBytes = 16 * 1024 * 1024;

/**
 * A text in a file of one process, readable only by its owner. A replacement is a new file with the same name, so a crash
 * leaves either the old text or the new one. A file that others may read or write, or of another owner, is not trusted.
 */
export function fileTextStore(file: string): DocumentStore<string> {
  async function read(): Promise<StoredDocument<string> | undefined> {
    const handle = await open(file).catch(absent);
    if (handle === undefined) return undefined;
    try {
      const { mode, uid, size } = await handle.stat();
      if ((mode & othersMay) !== 0) throw new MeshError("bad-option", `${file}: other users may use it: run chmod 600`);
      if (process.getuid !== undefined && uid !== process.getuid()) {
        throw new MeshError("bad-option", `${file}: belongs to another user`);
      }
      if (size > maxBytes) throw new MeshError("bad-option", `${file}: longer than ${maxBytes} bytes`);
      return stored(await handle.readFile("utf8"));
    } finally {
      await handle.close();
    }
  }

  async function replace(_previous: string | undefined, next: string): Promise<StoredDocument<string>> {
    const directory = dirname(file);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const draft = join(directory, `.${randomUUID()}.draft`);
    try {
      const handle = await open(draft, "wx", ownerOnly);
      try {
        await handle.writeFile(next);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
    return stored(next);
  }

  return { read, replace, watch: () => ({ stop: () => undefined }) };
}

function stored(text: string): StoredDocument<string> {
  return { content: text, revision: createHash("sha256").update(text).digest("hex") };
}

/** Undefined for a file that does not exist. Throws all other errors. */
function absent(thrown: unknown): undefined {
  if (codeOf(thrown) !== "ENOENT") throw errorFrom(thrown);
  return undefined;
}
