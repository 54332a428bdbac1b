import type { Message } from "@bufbuild/protobuf";
import type { Config, SourceLocation } from "../config.ts";
import type { Issue } from "../issue.ts";
import type { Slice } from "../yaml/split.ts";
import type { ParsedDocument } from "./parse-document.ts";
import { referenceTo } from "./parse-object.ts";

/** The document at the new place of its text, without reading it again. */
export function movedDocument(document: ParsedDocument, slice: Slice, file: string): ParsedDocument {
  if (document.file === file && document.slice.line === slice.line) return document;
  // Always starts at the first place: otherwise the chain of moves would grow.
  const origin = document.movedFrom ?? document;
  const lines = slice.line - origin.slice.line;
  const move = (place: SourceLocation): SourceLocation => ({ ...place, file, line: place.line + lines });
  const moveIssue = (issue: Issue): Issue =>
    issue.place === undefined ? issue : { ...issue, place: move(issue.place) };
  return {
    ...origin,
    movedFrom: origin,
    slice,
    file,
    issues: origin.issues.map(moveIssue),
    objects: origin.objects.map((object) => ({
      ...object,
      place: move(object.place),
      issues: object.issues.map(moveIssue),
      config: object.config && movedConfig(object.config, move(object.place), move),
      substitute: object.substitute && movedConfig(object.substitute, move(object.place), move),
    })),
  };
}

function movedConfig(
  config: Config<Message>,
  to: SourceLocation,
  move: (place: SourceLocation) => SourceLocation,
): Config<Message> {
  const { origin } = config;
  const locate = (path: string): SourceLocation | undefined => {
    const place = origin.locate(path);
    return place && move(place);
  };
  return { ...config, origin: { ...origin, reference: referenceTo(to), locate } };
}
