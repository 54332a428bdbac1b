import type { Config } from "../config.ts";
import { findingText } from "../finding.ts";
import { foldIssues } from "../fold-issues.ts";
import type { Issue } from "../issue.ts";
import { fillIn, type Message, type MessageType, type Subject } from "./message.ts";
import { messages } from "./messages.ts";

/** Validation counts as an analyzer, too. It ran when the object was read. */
export const validationAnalyzer = {
  name: "schema.ValidationAnalyzer",
  description: "Errors and warnings about single objects, as `binnacle validate` reports them",
};

/** The codes of messages that repeat an issue of validation. */
export const issueMessageCodes: ReadonlySet<string> = new Set(
  [messages.schemaValidationError, messages.schemaWarning, messages.unenforced, messages.noEffect].map(
    ({ code }) => code,
  ),
);

/** The folded issues of validation as messages. Objects of foreign kinds are not judged. */
export function issueMessages(
  issues: readonly Issue[],
  find: (object: string) => Config | undefined = () => undefined,
): readonly Message[] {
  return foldIssues(issues)
    .issues.filter(({ code, severity }) => code !== "unknown-kind" || severity === "error")
    .map((issue) => {
      const type = typeOf(issue);
      const text = fillIn(type.template, { detail: findingText(issue), where: issue.path });
      return { type, text, subject: subjectOf(issue, find(issue.object)), path: issue.path };
    });
}

function typeOf({ code, severity }: Issue): MessageType {
  if (code === "internal") return messages.internalError;
  if (code === "no-effect") return severity === "error" ? messages.unenforced : messages.noEffect;
  return severity === "error" ? messages.schemaValidationError : messages.schemaWarning;
}

/** An issue names its object `Kind namespace/name` and has its place already. */
function subjectOf({ object, place }: Issue, config: Config | undefined): Subject {
  const [kind = "", key = ""] = object.split(" ");
  const [name = "", namespace = ""] = key.split("/").toReversed();
  return { kind, namespace, name, annotations: config?.annotations ?? {}, locate: () => place };
}
