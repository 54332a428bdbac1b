import { type Document, LineCounter, parseDocument } from "yaml";
import type { Place } from "../config.ts";
import { mayHoldAddresses, restoreAddresses } from "./ipv6.ts";
import type { Slice } from "./split.ts";

/** A slice read into nodes that know where they stand. Costly in memory: made, used and dropped. */
export interface Composed {
  readonly document: Document.Parsed;
  readonly text: string;
  /** The place in the file of an offset in the slice. */
  placeAt(offset: number): Place;
}

/**
 * Keys are read as text, as JSON has them; merge keys work as in Kubernetes' own parser; types are those of JSON,
 * whatever version of YAML a directive asks for. Repeated keys are let through, for `duplicate-keys.ts` to find.
 */
export function compose(slice: Slice, file: string): Composed {
  const lineCounter = new LineCounter();
  const document = parseDocument(slice.text, {
    lineCounter,
    prettyErrors: false,
    logLevel: "silent",
    schema: "core",
    stringKeys: true,
    uniqueKeys: false,
    merge: true,
    resolveKnownTags: false,
  });
  if (mayHoldAddresses(slice.text)) restoreAddresses(document);
  return {
    document,
    text: slice.text,
    placeAt(offset) {
      const { line, col } = lineCounter.linePos(offset);
      return { file, line: slice.line - 1 + Math.max(line, 1), column: Math.max(col, 1) };
    },
  };
}
