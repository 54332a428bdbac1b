import { type BigIntStats, constants, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { decodeText } from "../../../config/yaml/characters.ts";
import { MeshError } from "../../../lib/errors.ts";

/** Far more than people write by hand, far less than a process can hold. */
export const maxFileBytes = 64 * 1024 * 1024;

/** Two equal stamps of a path: nothing was written in between, if the times are not too recent. */
export interface FileStamp {
  readonly device: bigint;
  readonly inode: bigint;
  readonly bytes: bigint;
  readonly writtenNs: bigint;
  /** The last change of content, links or rights. */
  readonly changedNs: bigint;
}

export interface StampedText {
  readonly text: string;
  /** From before the text was read. */
  readonly stamp: FileStamp;
}

/**
 * The text of a file. Rejects with `source-unavailable` for anything but a regular file, without blocking. A normal
 * open of a pipe would block a thread until another process writes to the pipe.
 */
export async function readStamped(path: string): Promise<StampedText> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat({ bigint: true });
  if (!stats.isFile()) throw new MeshError("source-unavailable", notAFile(stats));
  if (stats.size > maxFileBytes) {
    throw new MeshError("source-unavailable", `it has more than ${maxFileBytes / 1024 / 1024} MiB`);
  }
  return { text: decodeText(await file.readFile()), stamp: stampOf(stats) };
}

export async function readText(path: string): Promise<string> {
  return (await readStamped(path)).text;
}

export function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileStamp {
  return { device: dev, inode: ino, bytes: size, writtenNs: mtimeNs, changedNs: ctimeNs };
}

/** The kind of thing at a path that is no regular file. */
export function notAFile(stats: Pick<Stats, "isDirectory" | "isFIFO" | "isSocket">): string {
  if (stats.isDirectory()) return "it is a directory";
  if (stats.isFIFO()) return "it is a pipe";
  return stats.isSocket() ? "it is a socket" : "it is a device";
}
