import { readFileSync } from "node:fs";
import { errorFrom, MeshError } from "../../lib/errors.ts";

/** The text of the file that a flag names. Throws `bad-option` with the name of the flag. */
export function readFlagFile(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new MeshError("bad-option", `--${flag}: ${errorFrom(cause).message}`, { cause });
  }
}
