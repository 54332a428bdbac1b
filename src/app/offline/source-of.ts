import { readFile, stat } from "node:fs/promises";
import { kinds } from "../../config/kinds.ts";
import { decodeText } from "../../config/yaml/characters.ts";
import { createFileSource } from "../../galley/source/file/file-source.ts";
import { whyUnreadable } from "../../galley/source/file/file-system.ts";
import type { Source } from "../../galley/source/source.ts";
import { MeshError } from "../../lib/errors.ts";
import { systemClock } from "../process/system-clock.ts";
import { type SourceText, type SourceTexts, type TextParseOptions, textSource, textsSource } from "./text-source.ts";

/** A path, or texts that are at hand. */
export type SourceInput = string | SourceText | SourceTexts;

/** A directory, a file, or a text that is at hand, as a source of all kinds. Throws `source-unavailable`. */
export async function sourceOf(input: SourceInput, reading: TextParseOptions = {}): Promise<Source> {
  if (typeof input !== "string") return "files" in input ? textsSource(input, reading) : textSource(input, reading);
  try {
    const isDirectory = (await stat(input)).isDirectory();
    if (isDirectory) return createFileSource({ directory: input, kinds, clock: systemClock, ...reading });
    return textSource({ file: input, text: decodeText(await readFile(input)) }, reading);
  } catch (cause) {
    throw new MeshError("source-unavailable", `${input}: ${whyUnreadable(cause, "file or directory")}`, { cause });
  }
}
