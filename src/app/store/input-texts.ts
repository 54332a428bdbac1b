import { stat } from "node:fs/promises";
import { readText } from "../../galley/source/file/file-read.ts";
import { whyUnreadable } from "../../galley/source/file/file-system.ts";
import { walkYaml } from "../../galley/source/file/file-walk.ts";
import { MeshError } from "../../lib/errors.ts";
import type { SourceText } from "../offline/text-source.ts";

/** The files are read once, without a watch. */
const unwatched = { visit: () => {}, follow: () => Promise.resolve() };

/** The texts of files, of all YAML files in directories, and of inputs in memory. Throws `source-unavailable`. */
export async function inputTexts(inputs: readonly (string | SourceText)[]): Promise<readonly SourceText[]> {
  const texts: SourceText[] = [];
  for (const input of inputs) {
    if (typeof input !== "string") texts.push(input);
    else
      for (const file of await filesIn(input)) texts.push({ file, text: await readText(file).catch(unreadable(file)) });
  }
  return texts;
}

async function filesIn(path: string): Promise<readonly string[]> {
  const stats = await stat(path).catch(unreadable(path));
  if (!stats.isDirectory()) return [path];
  const { files, failures, charts } = await walkYaml(path, unwatched).catch(unreadable(path));
  for (const chart of charts) unreadable(chart)(new Error("it is a Helm chart; render it first: helm template"));
  for (const failure of failures) unreadable(failure.path)(failure.cause);
  return files;
}

function unreadable(path: string): (thrown: unknown) => never {
  return (cause) => {
    throw new MeshError("source-unavailable", `${path}: ${whyUnreadable(cause, "file or directory")}`, { cause });
  };
}
