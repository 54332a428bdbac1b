import type { Issue } from "../../config/issue.ts";
import { originIn } from "../../config/origin-in.ts";
import { json, type Route } from "../route.ts";
import type { GalleyState } from "../state.ts";

type IssuesState = Omit<GalleyState, "configs" | "sources">;

export function issuesPage(state: IssuesState): Route {
  return {
    path: "/debug/issues",
    doc: "what is wrong now: configuration, clashes between sources, and our own failures",
    answer: () =>
      json({
        sources: state.sourceHealth(),
        issues: [...state.issues()].flatMap(({ source, issues }) =>
          issues.map((issue) => ({ source, reference: referenceOf(issue), ...issue })),
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

/** `file:line`, as tools that jump to places want it. */
function referenceOf({ place }: Issue): string {
  return place === undefined ? "" : `${place.file}:${place.line}`;
}
