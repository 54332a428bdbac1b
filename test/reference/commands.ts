import { commands } from "../../src/cli/commands.ts";
import { exitCodes } from "../../src/cli/help.ts";
import { markdownTable } from "./table.ts";

const loaded = await Promise.all(
  commands.map(async ({ load, ...listed }) => ({ ...listed, ...(await load()).command })),
);
const servers = new Set(["serve", "galley", "pilot"]);

export function commandsPage(): string {
  const sections = loaded.map(({ name, usage, summary, flags: known, examples, problem }) => {
    const rows = known.map(({ name, short, placeholder, doc, default: byDefault }) => [
      `\`${short === undefined ? "" : `-${short}, `}--${`${name} ${placeholder}`.trim()}\``,
      byDefault === "" ? "–" : `\`${byDefault}\``,
      doc,
    ]);
    const codes = exitCodes(problem).map(([code, meaning]) => `${code}: ${meaning}`);
    return `## ${name}

${summary}

\`\`\`sh
${[`binnacle ${name} ${usage}`, "", ...examples.map((example) => `binnacle ${example}`)].join("\n")}
\`\`\`

${servers.has(name) ? "Its flags are the [settings](flags.md).\n" : markdownTable(["flag", "default", "meaning"], rows)}
Exit codes: ${codes.join("; ")}.
`;
  });
  return `# Commands

Every command has \`--help\`. Data goes to stdout, everything else to stderr. Only terminals get colours.

${sections.join("\n")}`;
}
