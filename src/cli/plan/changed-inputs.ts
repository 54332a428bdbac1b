import { basename, join, normalize, resolve, sep } from "node:path";
import type { SourceInput } from "../../app/offline/source-of.ts";
import { isDirectory, yamlFilesBelow } from "../../app/offline/yaml-files.ts";
import { type ConfigId, configId } from "../../config/config.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import { openInputs } from "../mesh/open-inputs.ts";
import { objectNamed } from "../objects/object-named.ts";
import { applyDiff, type FileDiff, isDiff, readDiff } from "./unified-diff.ts";

/** The inputs of the mesh before and after a change. */
export interface ChangedInputs {
  readonly before: readonly SourceInput[];
  readonly after: readonly SourceInput[];
  readonly textOf: (file: string) => string | undefined;
}

/**
 * The change that a command line describes. A directory is the whole mesh after the change. A file or stdin with YAML
 * holds objects that are written, and with a diff the changes of the directory's files.
 */
export async function changedInputs(path: string, against: string, terminal: Terminal): Promise<ChangedInputs> {
  const { inputs, textOf } = await openInputs([path], terminal);
  const [input] = inputs;
  if (input === undefined) throw new MeshError("bad-option", `${path} cannot be read`);
  if (typeof input === "string" && (await isDirectory(input))) return { before: [against], after: [input], textOf };
  const text = typeof input === "string" ? (textOf(input) ?? "") : input.text;
  if (!isDiff(text)) return { before: [against], after: [input, against], textOf };
  const files = await filesBelow(against);
  const changed = withDiff(files, readDiff(text), { against, complain: terminal.complain });
  const toInput = (all: ReadonlyMap<string, string>) => ({
    name: against,
    files: Array.from(all, ([file, content]) => ({ file, text: content })),
  });
  return { before: [toInput(files)], after: [toInput(changed)], textOf: (file) => changed.get(file) ?? textOf(file) };
}

/** `KIND/NAMESPACE/NAME`. Throws `bad-option`. */
export function deletedId(text: string): ConfigId {
  const { kind, namespace, name } = objectNamed(text);
  return configId(kind.kind, namespace, name);
}

async function filesBelow(directory: string): Promise<ReadonlyMap<string, string>> {
  if (!(await isDirectory(directory))) {
    throw new MeshError("bad-option", `--against: a diff changes the files of a directory, and ${directory} is none`);
  }
  return await yamlFilesBelow(directory);
}

interface DiffedDirectory {
  readonly against: string;
  readonly complain: (text: string) => void;
}

function withDiff(
  files: ReadonlyMap<string, string>,
  diffs: readonly FileDiff[],
  { against, complain }: DiffedDirectory,
): ReadonlyMap<string, string> {
  const changed = new Map(files);
  for (const diff of diffs) {
    const name = diff.before ?? diff.after ?? "";
    if (!/\.ya?ml$/u.test(name)) {
      complain(`note: ${name} is no YAML file, so it is left out`);
      continue;
    }
    const path = diff.before === undefined ? undefined : fileNamed(diff.before, files);
    if (diff.before !== undefined && path === undefined) {
      complain(`note: ${diff.before} is not in ${against}, so its changes are left out`);
      continue;
    }
    const text = applyDiff(path === undefined ? "" : (files.get(path) ?? ""), diff);
    if (path !== undefined) changed.delete(path);
    if (diff.after !== undefined)
      changed.set(path !== undefined && diff.after === diff.before ? path : newPath(diff.after, against), text);
  }
  return changed;
}

/** A diff names files from the root of a repository, or from the directory itself. */
function fileNamed(name: string, files: ReadonlyMap<string, string>): string | undefined {
  const wanted = sep + normalize(name);
  const found = [...files.keys()].filter((file) => resolve(file).endsWith(wanted));
  return found.toSorted((a, b) => a.length - b.length)[0];
}

/** Without the path to the directory, if the diff names it. */
function newPath(name: string, against: string): string {
  const prefix = `${basename(resolve(against))}/`;
  const at = `/${name}`.lastIndexOf(`/${prefix}`);
  return join(against, at === -1 ? name : name.slice(at + prefix.length));
}
