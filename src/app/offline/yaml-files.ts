import { readFile, stat } from "node:fs/promises";
import { decodeText } from "../../config/yaml/characters.ts";
import { walkYaml } from "../../galley/source/file/file-walk.ts";

export async function isDirectory(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() === true;
}

/** The texts of the YAML files below a directory, by path. Throws if it cannot be read. */
export async function yamlFilesBelow(directory: string): Promise<ReadonlyMap<string, string>> {
  const { files } = await walkYaml(directory, { visit: () => undefined, follow: () => Promise.resolve() });
  const texts = await Promise.all(files.map(async (file) => [file, decodeText(await readFile(file))] as const));
  return new Map(texts);
}
