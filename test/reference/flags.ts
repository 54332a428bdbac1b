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

Flags of \`binnacle serve\`. \`binnacle galley\` and \`binnacle pilot\` have those that apply to them. Each setting can also
be an environment variable, or a line of the YAML file of \`--config-file\`, under the name of the flag. A flag overrides the
environment, the environment overrides the file, and the file overrides the default.

${markdownTable(["flag", "environment", "default", "meaning"], rows)}`;
}
