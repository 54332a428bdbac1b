import type { Problem } from "../../collection/collection.ts";
import { type ConfigId, configId, type Origin, originIn, type SourceLocation } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import { kindByCollection } from "../../config/kinds.ts";
import type { DuplicateObject, Processor } from "../../galley/processor/processor.ts";
import { compareTexts } from "../../lib/compare.ts";

export interface IssueParts {
  readonly processor: Processor;
  /** Of every graph there is. */
  readonly problems: readonly Problem[];
  readonly originOf: (id: ConfigId) => Origin | undefined;
}

/** Everything that is wrong, in the order in which an author meets it: by file and place. */
export function issuesOf({ processor, problems, originOf }: IssueParts): readonly Issue[] {
  const issues = [
    ...[...processor.issues.values()].flatMap((part) => part.issues),
    ...processor.clashes().map((clash) => clashIssue(clash, originOf)),
    ...problems.map(bugIssue),
  ];
  return issues.toSorted((a, b) => comparePlaces(a.place, b.place));
}

function clashIssue({ collection, key, claimants }: DuplicateObject, originOf: IssueParts["originOf"]): Issue {
  const kind = kindByCollection(collection)?.kind ?? collection;
  const [name = "", namespace = ""] = key.split("/").toReversed();
  // A collection of a source is named `source collection`.
  const [winner = "", ...others] = claimants.map((claimant) => claimant.slice(0, claimant.lastIndexOf(" ")));
  return {
    severity: "warning",
    code: "name-clash",
    object: `${kind} ${key}`,
    path: "metadata.name",
    message: `also in ${others.join(", ")}, where it is ignored: ${winner} comes first`,
    place: originOf(configId(kind, namespace, name))?.locate("metadata.name"),
  };
}

/** Not the author's fault, but what became of the object is not what the author wants either. */
function bugIssue({ derivation, input, value, cause }: Problem): Issue {
  const message = `a bug in Binnacle: ${cause.message}`;
  const place = originIn(value)?.locate("");
  return { severity: "error", code: "internal", object: input, path: derivation, message, place };
}

function comparePlaces(a: SourceLocation | undefined, b: SourceLocation | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compareTexts(a.file, b.file) || a.line - b.line || a.column - b.column;
}
