import type { Config } from "../../config/config.ts";
import { kindOf, kinds } from "../../config/kinds.ts";
import { type ParseInput, parseConfigs } from "../../config/parse/parse.ts";
import { substituteIssue } from "../../config/parse/substitute.ts";
import { MemorySource } from "../../galley/source/memory-source.ts";
import type { Source } from "../../galley/source/source.ts";
import { assert } from "../../lib/assert.ts";

export interface SourceText {
  /** The name of the file for places. */
  readonly file: string;
  readonly text: string;
}

/** How texts are read, where it is not as a server reads them. */
export type TextParseOptions = Partial<Pick<ParseInput, "defaultNamespace" | "keepInvalid">>;

/** The texts of a directory, as they would be after a change. */
export interface SourceTexts {
  readonly name: string;
  readonly files: readonly SourceText[];
}

/** One text as a source: read once, never watched. */
export function textSource(text: SourceText, reading: TextParseOptions = {}): Source {
  return textsSource({ name: text.file, files: [text] }, reading);
}

/** Several texts as one source. */
export function textsSource({ name, files }: SourceTexts, reading: TextParseOptions = {}): Source {
  const source = new MemorySource({ name: `file:${name}`, collections: kinds.map(({ collection }) => collection) });
  for (const { file, text } of files) {
    const parsed = parseConfigs({ text, file, source: source.name, kinds, defaultNamespace: "default", ...reading });
    const substitutes = [...parsed.substitutes.values()];
    for (const config of [...parsed.configs, ...substitutes]) source.set(collectionOf(config), config);
    source.report(file, [...parsed.issues, ...substitutes.map(substituteIssue)]);
  }
  return source;
}

function collectionOf({ apiVersion, kind }: Config): string {
  const row = kindOf(apiVersion, kind);
  assert(row !== undefined, `${kind} was read because it is among the kinds`);
  return row.collection;
}
