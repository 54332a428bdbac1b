import { readFileSync } from "node:fs";
import type { SourceText } from "../../app/offline/text-source.ts";
import { decodeText } from "../../config/yaml/characters.ts";
import type { Terminal } from "../command.ts";

/** What a command reads, and what the files say, for showing what is wrong with them. */
export interface OpenedInputs {
  readonly inputs: readonly (string | SourceText)[];
  readonly textOf: (file: string) => string | undefined;
}

/** What is piped in has no other name. */
const inputName = "<stdin>";

/** Files and directories by their paths, and what is piped in as `-`. */
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

/** The file may be gone by now, or never have been one. */
function textOn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
