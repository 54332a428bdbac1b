import type { Config } from "../config.ts";
import { findingText } from "../finding.ts";
import type { Issue } from "../issue.ts";
import { fillIn, type Message, type MessageType, type Subject } from "./message.ts";
import { messages } from "./messages.ts";

/** The validation of an object is an analysis, too; it was done when the object was read. */
export const validationAnalyzer = {
  name: "schema.ValidationAnalyzer",
  description: "What is wrong with objects by themselves, as `binnacle validate` says it",
};

/** What validation found, as messages. Objects of other people's kinds are not ours to judge. */
export function issueMessages(
  issues: readonly Issue[],
  find: (object: string) => Config | undefined = () => undefined,
): readonly Message[] {
  return issues
    .filter(({ code, severity }) => code !== "unknown-kind" || severity === "error")
    .map((issue) => {
      const type = typeOf(issue);
      const text = fillIn(type.template, { detail: findingText(issue), where: issue.path });
      return { type, text, subject: subjectOf(issue, find(issue.object)), path: issue.path };
    });
}

function typeOf({ code, severity }: Issue): MessageType {
  if (code === "internal") return messages.internalError;
  return severity === "error" ? messages.schemaValidationError : messages.schemaWarning;
}

/** An issue names its object `Kind namespace/name`, and knows its place already. */
function subjectOf({ object, place }: Issue, config: Config | undefined): Subject {
  const [kind = "", key = ""] = object.split(" ");
  const [name = "", namespace = ""] = key.split("/").toReversed();
  return { kind, namespace, name, annotations: config?.annotations ?? {}, locate: () => place };
}
