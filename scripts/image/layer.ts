import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { constants, gzipSync } from "node:zlib";

/** A layer of an image. */
export interface Layer {
  /** The compressed archive. */
  readonly blob: Buffer;
  /** The digest of the archive before compression. */
  readonly diffId: string;
}

/**
 * The content of a folder as a layer. The same content gives the same bytes: names are sorted, all files belong to root,
 * who alone may write them, and all times are the given one, in seconds.
 */
export function layerOf(folder: string, epoch: number): Layer {
  const owner = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  const form = ["--format=pax", "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime"];
  const args = ["--sort=name", `--mtime=@${epoch}`, ...owner, ...form, "--create", "--directory", folder, "."];
  const archive = execFileSync("tar", args, { maxBuffer: 1 << 30, env: { ...process.env, LC_ALL: "C" } });
  return { blob: gzipSync(archive, { level: constants.Z_DEFAULT_COMPRESSION }), diffId: digestOf(archive) };
}

/** Unpacks a layer over the content of a folder. Owners stay ours, unless we are root. */
export function unpackLayer(blob: string, folder: string): void {
  const { status, stderr } = spawnSync("tar", ["--extract", "--gzip", "--directory", folder, "--file", blob]);
  if (status !== 0) throw new Error(`cannot unpack ${blob}: ${String(stderr)}`);
}

export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

export function readLayer(blob: string, diffId: string): Layer {
  return { blob: readFileSync(blob), diffId: readFileSync(diffId, "utf8").trim() };
}
