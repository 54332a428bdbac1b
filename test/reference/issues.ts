import { issueCodes } from "../../src/config/issue-codes.ts";
import { markdownTable } from "./table.ts";

export function issuesPage(): string {
  const sections = Object.entries(issueCodes).map(([group, codes]) => {
    const rows = Object.entries(codes).map(([code, meaning]) => [`\`${code}\``, meaning]);
    return `## ${headings[group as keyof typeof issueCodes]}\n\n${markdownTable(["code", "meaning"], rows)}`;
  });
  return `# Issues

What is wrong with configuration, each with a code that scripts can rely on: printed by \`binnacle validate\` and by all
that reads files, in the log (\`config rejected\`, \`config warning\`) and at \`/debug/issues\`. Whether it is an error or a
warning stands beside the code. An error keeps an object, or a whole document, from being applied: what it said last
holds. What is found by looking at the mesh as a whole has the codes of [analysis](analysis.md); what a command or a call
fails with is an [error](errors.md).

${sections.join("\n")}`;
}

const headings: Readonly<Record<keyof typeof issueCodes, string>> = {
  documents: "In a document",
  objects: "In an object",
  sources: "In a source",
};
