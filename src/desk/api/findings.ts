import type { Viewer } from "../../admin/viewer.ts";
import { issueMessages } from "../../config/analysis/issue-messages.ts";
import { type Level, type Message, messageLocation } from "../../config/analysis/message.ts";
import { inOrder } from "../../config/analysis/order.ts";
import { isSuppressed } from "../../config/analysis/suppression.ts";
import { configId } from "../../config/config.ts";
import type { DeskState } from "./desk-state.ts";
import { maySee } from "./endpoint.ts";
import type { Severity } from "./model/configuration.ts";
import type { IssueCounts, WorstIssue } from "./model/overview.ts";
import { linkTo } from "./object-links.ts";

const shownWorst = 10;

/** Every finding that the viewer may see, the worst first. A finding without an object is for operators. */
function visibleFindings({ findings }: DeskState, viewer: Viewer): readonly Message[] {
  const { report } = findings.analysis();
  const found = [...issueMessages(findings.issues()), ...(report?.messages ?? []), ...(findings.live?.() ?? [])];
  const visible = found.filter(({ subject }) =>
    subject === undefined ? viewer.type === "system" : maySee(viewer, subject.namespace),
  );
  return inOrder(visible.filter((message) => !isSuppressed(message, [])));
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

function worstIssue(message: Message, state: DeskState): WorstIssue {
  const { type, text, subject } = message;
  const reference = referenceOf(message);
  const known = subject !== undefined && subject.kind !== "" && subject.name !== "";
  return {
    severity: severityOf(type.level),
    code: type.code,
    text,
    ...(reference !== undefined && { reference }),
    ...(known && { object: linkTo(configId(subject.kind, subject.namespace, subject.name), state) }),
  };
}

function severityOf(level: Level): Severity {
  return ({ Error: "error", Warning: "warning", Info: "info" } as const)[level];
}

function referenceOf(message: Message): string | undefined {
  const place = messageLocation(message);
  return place === undefined ? undefined : `${place.file}:${place.line}`;
}
