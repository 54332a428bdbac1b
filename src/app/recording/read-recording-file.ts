import { readFile, stat } from "node:fs/promises";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { type Recording, readRecording } from "../../recording/recording.ts";

/** Longer texts do not fit into one string. */
const maxBytes = 500 * 1024 * 1024;

/** Throws `bad-option` for a file that is no recording. */
export async function readRecordingFile(path: string): Promise<Recording> {
  const recording = readRecording(await textOf(path));
  if (recording === undefined) throw new MeshError("bad-option", `${path}: no recording of this version of Binnacle`);
  return recording;
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new MeshError("bad-option", `longer than ${maxBytes} bytes`);
    return await readFile(path, "utf8");
  } catch (thrown) {
    throw new MeshError("bad-option", `${path}: ${errorFrom(thrown).message}`, { cause: thrown });
  }
}
