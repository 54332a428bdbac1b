import type { AnalysisReport } from "../../config/analysis/analyze.ts";
import { issueMessages } from "../../config/analysis/issue-messages.ts";
import { type Message, messageJson, messageLine } from "../../config/analysis/message.ts";
import { inOrder } from "../../config/analysis/order.ts";
import { isSuppressed } from "../../config/analysis/suppression.ts";
import type { Issue } from "../../config/issue.ts";
import { json, type Route, text } from "../route.ts";

export interface AnalysisPageState {
  readonly analysis: () => { readonly report: AnalysisReport | undefined; readonly pending: boolean };
  /** The current validation issues. */
  readonly issues: () => readonly Issue[];
  /** Findings about the running server, which no snapshot shows. */
  readonly live?: () => readonly Message[];
}

/** The limit of shown messages. Each one needs a lookup in its file, so a page with all could be slow. */
const mostShown = 500;

export function analysisPage({ analysis, issues, live = () => [] }: AnalysisPageState): Route {
  return {
    path: "/debug/analysis",
    doc: "the messages of `binnacle analyze` for the mesh, at most the 500 worst; ?format=text for text",
    answer: (query) => {
      const { report, pending } = analysis();
      const found = [...issueMessages(issues()), ...(report?.messages ?? []), ...live()];
      const all = inOrder(found.filter((message) => !isSuppressed(message, [])));
      const messages = all.slice(0, mostShown);
      if (query.get("format") === "text") return text(messages.map(messageLine).join("\n"));
      const isPending = pending || report === undefined;
      return json({
        pending: isPending,
        total: all.length,
        messages: messages.map(messageJson),
        skipped: report?.skipped ?? [],
      });
    },
  };
}
