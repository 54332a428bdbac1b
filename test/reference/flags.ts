import { optionRows } from "../../src/app/options/options.ts";
import { markdownTable } from "./table.ts";

export function flagsPage(): string {
  const rows = optionRows.map(([, { name, env, type, defaultText, doc }]) => [
    `\`--${`${name} ${type.placeholder}`.trim()}\``,
    env.map((variable) => `\`${variable}\``).join(", "),
    defaultText === "" ? "–" : `\`${defaultText}\``,
    doc,
  ]);
  return `# Settings

Flags of \`binnacle serve\` and, as far as they are not the other's, of \`binnacle galley\` and \`binnacle pilot\`; the
same by environment variable and, by the flag's name, as a line of the YAML file that \`--config-file\` names. A flag
counts more than the environment, that more than the file, that more than the default.

${markdownTable(["flag", "environment", "default", "meaning"], rows)}`;
}
