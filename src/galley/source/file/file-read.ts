import { constants, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { decodeText } from "../../../config/yaml/characters.ts";
import { MeshError } from "../../../lib/errors.ts";

/** Far more than people write by hand, far less than what ends a process. */
export const maxFileBytes = 64 * 1024 * 1024;

/**
 * The text of a file. Rejects with `source-unavailable`, and never waits, for what is no regular file: opening a pipe
 * the usual way would keep a thread until somebody writes into it.
 */
export async function readText(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) throw new MeshError("source-unavailable", notAFile(stats));
  if (stats.size > maxFileBytes) {
    throw new MeshError("source-unavailable", `it has more than ${maxFileBytes / 1024 / 1024} MiB`);
  }
  return decodeText(await file.readFile());
}

/** What stands in the place of a file. */
export function notAFile(stats: Pick<Stats, "isDirectory" | "isFIFO" | "isSocket">): string {
  if (stats.isDirectory()) return "it is a directory";
  if (stats.isFIFO()) return "it is a pipe";
  return stats.isSocket() ? "it is a socket" : "it is a device";
}
