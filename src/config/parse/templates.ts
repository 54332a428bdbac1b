import { hasErrors, type Remark } from "../finding.ts";
import type { Issue } from "../issue.ts";
import type { ParsedDocument } from "./parse-document.ts";

/** An action of Go templates that YAML has no other use for. */
const action =
  /^[ \t]*(?:- )?(?:[\w.-]+:[ \t]+)?\{\{|\{\{-?[ \t]*(?:[^{}\n]*\.(?:Values|Release|Chart|Capabilities|Files|Template)\b|(?:include|template|define|range|with|if|else|end|tpl|toYaml)\b|\/\*)/mu;

const comment = /^[ \t]*#.*$/gmu;

/** The offset of the first action, if the text is a template that is not rendered yet. */
function templateAction(text: string): number | undefined {
  if (!text.includes("{{")) return undefined;
  // Keep the length, so that offsets stay the same.
  const offset = text.replaceAll(comment, (line) => " ".repeat(line.length)).search(action);
  return offset === -1 ? undefined : offset;
}

/**
 * Replaces all issues of template documents with one issue. Mistakes in a text that is not YAML yet help no reader. A
 * template that is valid YAML is read as YAML.
 */
export function withTemplatesNamed(issues: readonly Issue[], documents: readonly ParsedDocument[]): readonly Issue[] {
  const failing = documents.filter((document) => hasErrors(issuesIn(document)));
  const first = failing.find(({ slice }) => templateAction(slice.text) !== undefined);
  if (first === undefined) return issues;
  // The document before or after an action is often one half of the enclosed text.
  const gone = new Set(failing.flatMap(issuesIn));
  return [templateIssue(first), ...issues.filter((issue) => !gone.has(issue))];
}

function issuesIn({ issues, objects }: ParsedDocument): readonly Issue[] {
  return [...issues, ...objects.flatMap((object) => object.issues)];
}

function templateIssue({ slice, file }: ParsedDocument): Issue {
  const lines = slice.text.slice(0, templateAction(slice.text)).split("\n");
  const place = { file, line: slice.line + lines.length - 1, column: (lines.at(-1) ?? "").length + 1 };
  return { severity: "error", object: "", path: "", place, ...templateRemark("this is a template") };
}

/** The hint about templates, for a file or a whole chart. */
export function templateRemark(message: string): Remark {
  return {
    code: "template",
    message: `${message}, and must be rendered first`,
    hint: "render it, for example with `helm template NAME CHART > FILE`, and use the result",
  };
}
