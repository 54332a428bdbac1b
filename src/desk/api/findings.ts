import type { Viewer } from "../../admin/viewer.ts";
import type { AnalysisReport } from "../../config/analysis/analyze.ts";
import { issueMessages } from "../../config/analysis/issue-messages.ts";
import { type Level, type Message, messageLocation } from "../../config/analysis/message.ts";
import { inOrder } from "../../config/analysis/order.ts";
import { isSuppressed } from "../../config/analysis/suppression.ts";
import { type ConfigId, configId } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import { oncePer } from "../../lib/memo.ts";
import type { DeskState } from "./desk-state.ts";
import { maySee } from "./endpoint.ts";
import type { Severity, WorstIssue } from "./model/issue.ts";
import type { IssueCounts } from "./model/overview.ts";
import { linkTo } from "./object-links.ts";

const shownWorst = 10;

/** Every finding that the viewer may see, the worst first. A finding without an object is for operators. */
function visibleFindings(state: DeskState, viewer: Viewer): readonly Message[] {
  return findingsOf(state).filter(({ subject }) =>
    subject === undefined ? viewer.type === "system" : maySee(viewer, subject.namespace),
  );
}

/** Every finding, the worst first. They are sorted once for every state of the mesh. */
function findingsOf({ findings }: DeskState): readonly Message[] {
  const settled = settledFindings(findings.issues())(findings.analysis().report ?? noReport);
  const live = findings.live?.() ?? [];
  return live.length === 0 ? settled : inOrder([...settled, ...live]);
}

const noReport: AnalysisReport = { messages: [], skipped: [] };
const settledFindings = oncePer((issues: readonly Issue[]) =>
  oncePer((report: AnalysisReport): readonly Message[] => {
    const found = [...issueMessages(issues), ...report.messages];
    return inOrder(found.filter((message) => !isSuppressed(message, [])));
  }),
);

/** The findings about single objects, by the id of the object, the worst first. */
export function findingsById(state: DeskState): ReadonlyMap<ConfigId, readonly Message[]> {
  return groupedById(findingsOf(state));
}

const groupedById = oncePer((findings: readonly Message[]): ReadonlyMap<ConfigId, readonly Message[]> => {
  const about = findings.flatMap((message) => {
    const id = subjectId(message);
    return id === undefined ? [] : [[id, message] as const];
  });
  const grouped = Map.groupBy(about, ([id]) => id);
  return new Map(Array.from(grouped, ([id, all]) => [id, all.map(([, message]) => message)]));
});

/** Findings about files and documents whose object is unknown, the worst first. */
export function findingsWithoutObject(state: DeskState): readonly Message[] {
  return findingsOf(state).filter((message) => subjectId(message) === undefined);
}

function subjectId({ subject }: Message): ConfigId | undefined {
  if (subject === undefined || subject.kind === "" || subject.name === "") return undefined;
  return configId(subject.kind, subject.namespace, subject.name);
}

export function issueCounts(state: DeskState, viewer: Viewer): IssueCounts {
  const { report, pending } = state.findings.analysis();
  const all = visibleFindings(state, viewer);
  const count = (level: Level) => all.filter(({ type }) => type.level === level).length;
  return {
    errors: count("Error"),
    warnings: count("Warning"),
    infos: count("Info"),
    pending: pending || report === undefined,
    worst: all.slice(0, shownWorst).map((message) => worstIssue(message, state)),
  };
}

export function worstIssue(message: Message, state: DeskState): WorstIssue {
  const { type, text } = message;
  const reference = referenceOf(message);
  const id = subjectId(message);
  return {
    severity: severityOf(type.level),
    code: type.code,
    text,
    ...(reference !== undefined && { reference }),
    ...(id !== undefined && { object: linkTo(id, state) }),
  };
}

export function severityOf(level: Level): Severity {
  return ({ Error: "error", Warning: "warning", Info: "info" } as const)[level];
}

export function referenceOf(message: Message): string | undefined {
  const place = messageLocation(message);
  return place === undefined ? undefined : `${place.file}:${place.line}`;
}
