import { counted } from "../lib/counted.ts";
import { cutText } from "../lib/cut-text.ts";
import type { Issue } from "./issue.ts";

/** Issues in the form that people see. */
export interface FoldedIssues {
  /** One issue for all objects of the Gateway API, and one for all templates. The other issues are unchanged. */
  readonly issues: readonly Issue[];
  /** A sentence about the objects that do not concern a mesh; absent if there are none. */
  readonly ignored: string | undefined;
}

/** Largest number of kinds in a sentence, and of characters in a name, because users choose the names. */
const maxNamed = 8;
const maxNameLength = 60;

/**
 * Combines similar issues, because directories hold more than mesh configuration. One line replaces a line per object.
 * The first issue of a sort represents all of them, with its place.
 */
export function foldIssues(issues: readonly Issue[]): FoldedIssues {
  const ignored = issues.filter(({ code }) => code === "ignored-kind");
  const unsupported = issues.filter(({ code }) => code === "unsupported-kind");
  const templates = issues.filter(({ code }) => code === "template");
  const folded = new Map<Issue | undefined, Issue[]>([
    [unsupported[0], unsupported.slice(0, 1).map((first) => unsupportedIssue(first, unsupported))],
    [templates[0], templates.slice(0, 1).map((first) => templateIssue(first, templates.length))],
  ]);
  const gone = new Set([...ignored, ...unsupported, ...templates]);
  return {
    issues: issues.flatMap((issue) => folded.get(issue) ?? (gone.has(issue) ? [] : [issue])),
    ignored: ignored.length === 0 ? undefined : ignoredText(ignored),
  };
}

function ignoredText(ignored: readonly Issue[]): string {
  const kinds = kindsOf(ignored);
  return `${counted(ignored.length, "object")} of ${counted(kinds.size, "kind")} that ${
    kinds.size === 1 ? "is" : "are"
  } not mesh configuration: ${namesOf(kinds)}`;
}

function unsupportedIssue(first: Issue, all: readonly Issue[]): Issue {
  const message =
    `the Gateway API (gateway.networking.k8s.io) is not supported here: ${counted(all.length, "object")} without ` +
    `effect: ${namesOf(kindsOf(all))}`;
  const hint = "write Gateways and VirtualServices of networking.istio.io instead";
  return { ...first, object: "", path: "", message, hint };
}

function templateIssue(first: Issue, count: number): Issue {
  if (count === 1) return first;
  return { ...first, message: `${first.message}; so ${count === 2 ? "is" : "are"} ${counted(count - 1, "other")}` };
}

/** The count of each kind, the most frequent first. */
function kindsOf(issues: readonly Issue[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { object } of issues) {
    const [kind = ""] = object.split(" ", 1);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return new Map([...counts].toSorted(([, a], [, b]) => b - a));
}

function namesOf(kinds: ReadonlyMap<string, number>): string {
  const names = Array.from(kinds, ([kind, count]) => `${cutText(kind, maxNameLength)} (${count})`);
  const left = names.length - maxNamed;
  return left > 0 ? `${names.slice(0, maxNamed).join(", ")} and ${left} more` : names.join(", ");
}
