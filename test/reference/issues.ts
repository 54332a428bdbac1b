import { issueCodes } from "../../src/config/issue-codes.ts";
import { markdownTable } from "./table.ts";

export function issuesPage(): string {
  const sections = Object.entries(issueCodes).map(([group, codes]) => {
    const rows = Object.entries(codes).map(([code, meaning]) => [`\`${code}\``, meaning]);
    return `## ${headings[group as keyof typeof issueCodes]}\n\n${markdownTable(["code", "meaning"], rows)}`;
  });
  return `# Issues

Problems of configuration. Each has a code that scripts can rely on. All commands that read files print issues, first of
all \`binnacle validate\`. Servers log them (\`config rejected\`, \`config warning\`) and list them at \`/debug/issues\`. An issue
is an error or a warning, as shown beside its code. An error keeps an object, or a whole document, from being applied: the
last good version stays in use. Problems of the mesh as a whole have the codes of [analysis](analysis.md). Failures of
commands and calls are [errors](errors.md).

${sections.join("\n")}`;
}

const headings: Readonly<Record<keyof typeof issueCodes, string>> = {
  documents: "In a document",
  objects: "In an object",
  sources: "In a source",
};
