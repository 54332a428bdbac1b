import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, errorFrom, MeshError } from "../../lib/errors.ts";
import { type MachineFiles, machineFileNames } from "./machine-files.ts";

/** The token is a credential: only its owner may read it. */
const modes: Readonly<Record<string, number>> = { "istio-token": 0o600 };
const folderMode = 0o700;
const fileMode = 0o644;

/**
 * Writes the files of a machine into a directory, which must be new, empty, or have files of an earlier call only. All
 * drafts are written before the first file is replaced. Throws `bad-option`.
 */
export async function writeMachineFiles(directory: string, files: MachineFiles): Promise<void> {
  await refuseForeign(directory);
  const draftOf = (name: string) => join(directory, `.${name}.new`);
  try {
    await mkdir(directory, { recursive: true, mode: folderMode });
    for (const name of machineFileNames) {
      await rm(draftOf(name), { force: true });
      await writeFile(draftOf(name), files[name], { mode: modes[name] ?? fileMode, flag: "wx" });
    }
    for (const name of machineFileNames) await rename(draftOf(name), join(directory, name));
  } catch (cause) {
    for (const name of machineFileNames) await rm(draftOf(name), { force: true }).catch(() => undefined);
    throw new MeshError("bad-option", `--output ${directory}: ${errorFrom(cause).message}`, { cause });
  }
}

async function refuseForeign(directory: string): Promise<void> {
  const own = new Set<string>(machineFileNames.flatMap((name) => [name, `.${name}.new`]));
  const foreign = (await entriesOf(directory)).find((name) => !own.has(name));
  if (foreign === undefined) return;
  const sentence = `has other files, such as ${foreign}: choose a new or empty directory`;
  throw new MeshError("bad-option", `--output ${directory} ${sentence}`);
}

async function entriesOf(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return [];
    throw new MeshError("bad-option", `--output ${directory}: ${errorFrom(cause).message}`, { cause });
  }
}
