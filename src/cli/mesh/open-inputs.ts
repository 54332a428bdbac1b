import { readFileSync } from "node:fs";
import type { SourceText } from "../../app/offline/text-source.ts";
import { decodeText } from "../../config/yaml/characters.ts";
import type { Terminal } from "../command.ts";

/** The inputs of a command, and the text of the files, to show problems in them. */
export interface OpenedInputs {
  readonly inputs: readonly (string | SourceText)[];
  readonly textOf: (file: string) => string | undefined;
}

/** The file name of stdin. */
const inputName = "<stdin>";

/** Opens files and directories by their paths, and stdin as `-`. */
export async function openInputs(paths: readonly string[], terminal: Terminal): Promise<OpenedInputs> {
  const texts = new Map<string, string | undefined>();
  const inputs: (string | SourceText)[] = paths.filter((path) => path !== "-");
  if (paths.includes("-")) {
    const text = decodeText(await terminal.readInput());
    texts.set(inputName, text);
    inputs.push({ file: inputName, text });
  }
  const textOf = (file: string) => {
    if (!texts.has(file)) texts.set(file, textOn(file));
    return texts.get(file);
  };
  return { inputs, textOf };
}

/** Undefined if the file is gone, or never was a file. */
function textOn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
