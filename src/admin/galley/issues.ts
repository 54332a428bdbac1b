import { originIn } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import { json, type Route } from "../route.ts";
import type { GalleyState } from "../state.ts";

type IssuesState = Omit<GalleyState, "configs" | "sources">;

export function issuesPage(state: IssuesState): Route {
  return {
    path: "/debug/issues",
    doc: "current issues: configuration, name clashes between sources, and internal failures",
    answer: () =>
      json({
        sources: state.sourceHealth(),
        issues: [...state.issues()].flatMap(({ source, issues }) =>
          issues.map((issue) => ({ source, ...withReference(issue) })),
        ),
        clashes: state.clashes(),
        derivations: state.problems().map(({ value, cause, ...problem }) => ({
          ...problem,
          reference: originIn(value)?.reference ?? "",
          cause: cause.message,
        })),
        generators: Array.from(state.generatorProblems(), ({ cause, ...problem }) => ({
          ...problem,
          cause: cause.message,
        })),
      }),
  };
}

/** Adds `file:line`, which editors and tools can open. */
export function withReference(issue: Issue) {
  const { place } = issue;
  return { reference: place === undefined ? "" : `${place.file}:${place.line}`, ...issue };
}
