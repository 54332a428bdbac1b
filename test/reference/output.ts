import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../../src/cli/commands.ts";
import { otherCommands } from "../public-names/json-names.ts";
import { markdownTable } from "./table.ts";

const loaded = await Promise.all(commands.map(async ({ load, name }) => ({ name, ...(await load()).command })));

/** The fields in the JSON of a command. `test/public-names.test.ts` compares them with real output. */
function fieldsOf(command: string): readonly string[] {
  const names = readFileSync(join(import.meta.dirname, "../public-names/public-names.txt"), "utf8").split("\n");
  const prefix = `json ${command} `;
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** The choices of `-o`. `workload` has an --output that names a folder. */
function formatsOf(flags: (typeof loaded)[number]["flags"]): readonly string[] {
  const output = flags.find(({ name, placeholder }) => name === "output" && placeholder.includes("|"));
  return output?.placeholder.split("|") ?? [];
}

/** The page about the outputs of commands. */
export function outputPage(): string {
  const rows = loaded.map(({ name, flags }) => {
    const formats = formatsOf(flags).map((format) => `\`${format}\``);
    return [
      `\`${name}\``,
      formats.join(", ") || "–",
      fieldsOf(name).length > 0 ? `[fields](#${name})` : reasonOf(name),
    ];
  });
  const sections = loaded
    .map(({ name }) => ({ name, fields: fieldsOf(name) }))
    .filter(({ fields }) => fields.length > 0)
    .map(({ name, fields }) => `## ${name}\n\n${fields.map((field) => `- \`${field}\`\n`).join("")}`);
  return `# Output of commands

The first format of \`-o\` is the default. \`wide\` has more columns. \`json\` and \`yaml\` have the same fields. Scripts may rely on the fields
below: a test compares them with real output, and fails for a field that is missing here. In a path, \`[]\` is each item of a list, and
\`.*\` each name of a map. A field may be absent where it does not apply.

${markdownTable(["command", "`-o`", "fields in JSON and YAML"], rows)}
${sections.join("\n")}`;
}

function reasonOf(command: string): string {
  const reason = otherCommands[command];
  return reason === undefined ? "–" : `not listed: ${reason}`;
}
