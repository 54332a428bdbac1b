import type { Command, DocumentedFlag } from "./command.ts";

const helpFlag: DocumentedFlag = {
  name: "help",
  short: "h",
  type: "switch",
  placeholder: "",
  doc: "this text",
  default: "",
};

/** The text of `binnacle --help`. */
export function overview(commands: readonly Command[]): string {
  return [
    "binnacle: a service-mesh control plane for Envoy and proxyless gRPC",
    "",
    "usage: binnacle COMMAND [arguments]",
    "",
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    "",
    "binnacle COMMAND --help shows its flags, with examples.",
  ].join("\n");
}

/** The text of `binnacle COMMAND --help`. */
export function helpOf({ name, usage, summary, flags, examples }: Command): string {
  return [
    summary,
    "",
    `usage: binnacle ${name} ${usage}`.trimEnd(),
    "",
    ...columns([...flags, helpFlag].map(flagColumns)),
    "",
    "examples:",
    ...examples.map((example) => `  binnacle ${example}`),
  ].join("\n");
}

function flagColumns(flag: DocumentedFlag): readonly [string, string] {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const note = flag.default === "" ? "" : ` (${flag.default})`;
  return [`${short}--${flag.name} ${flag.placeholder}`.trimEnd(), `${flag.doc}${note}`];
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
