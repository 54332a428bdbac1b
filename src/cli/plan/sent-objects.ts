import { isDirectory, yamlFilesBelow } from "../../app/offline/yaml-files.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import { openInputs } from "../mesh/open-inputs.ts";
import { isDiff } from "./unified-diff.ts";

interface SentFile {
  readonly file: string;
  /** The line of the text where the file begins. */
  readonly firstLine: number;
}

const separator = "\n---\n";

/** The objects of files as one text, which a server takes, and the places that its lines come from. */
export class SentObjects {
  readonly #files: SentFile[] = [];
  readonly #texts: string[] = [];
  #nextLine = 1;

  add(file: string, text: string): void {
    this.#files.push({ file, firstLine: this.#nextLine });
    this.#texts.push(text);
    this.#nextLine += newlinesIn(text) + newlinesIn(separator);
  }

  get text(): string {
    return this.#texts.join(separator);
  }

  /** `FILE:LINE` of a line of the text. */
  placeOf(line: number): string {
    const found = this.#files.findLast(({ firstLine }) => firstLine <= line);
    return found === undefined ? `line ${line}` : `${found.file}:${line - found.firstLine + 1}`;
  }
}

/** All objects at these paths. Throws `bad-option` for a diff: a server has no files to apply it to. */
export async function objectsToSend(paths: readonly string[], terminal: Terminal): Promise<SentObjects> {
  const sent = new SentObjects();
  for (const path of paths) {
    if (path !== "-" && (await isDirectory(path))) {
      for (const [file, text] of await yamlFilesBelow(path)) sent.add(file, text);
      continue;
    }
    const { inputs, textOf } = await openInputs([path], terminal);
    for (const input of inputs) {
      const text = typeof input === "string" ? textOf(input) : "text" in input ? input.text : "";
      if (text === undefined) throw new MeshError("source-unavailable", `${path} cannot be read`);
      if (isDiff(text)) throw new MeshError("bad-option", `${path} is a diff: plan it with --against DIR`);
      sent.add(typeof input === "string" ? input : input.file, text);
    }
  }
  return sent;
}

function newlinesIn(text: string): number {
  return text.split("\n").length - 1;
}
