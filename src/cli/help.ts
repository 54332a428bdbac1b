import { largest } from "../lib/extremes.ts";
import { type Command, type DocumentedFlag, ExitCode, type ListedCommand } from "./command.ts";

/** Terminals are at least this wide. */
const screen = 80;
/** A longer text in the left column gets its own line. */
const widest = 27;

/** Every command has it. */
export const helpFlag: DocumentedFlag = {
  name: "help",
  short: "h",
  type: "switch",
  placeholder: "",
  doc: "Shows this text.",
  default: "",
};

/** The text of `binnacle --help`. */
export function overview(commands: readonly ListedCommand[]): string {
  return [
    "binnacle: a service-mesh control plane for Envoy and proxyless gRPC",
    "",
    "usage: binnacle COMMAND [arguments]",
    "",
    ...columns(commands.map(({ name, alias, summary }) => [withAlias(name, alias), summary])),
    "",
    "binnacle COMMAND --help shows its flags, with examples.",
    "Data goes to stdout, everything else to stderr.",
  ].join("\n");
}

/** The text of `binnacle COMMAND --help`. */
export function helpOf({ name, summary }: ListedCommand, { usage, flags, examples, problem }: Command): string {
  return [
    ...wrapped(summary, screen),
    "",
    `usage: binnacle ${name} ${usage}`.trimEnd(),
    "",
    ...flagLines(flags),
    "",
    "examples:",
    ...examples.map((example) => `  binnacle ${example}`),
    "",
    "exit codes:",
    ...columns(exitCodes(problem)),
  ].join("\n");
}

/** The meaning of each exit code of a command. */
export function exitCodes(problem: string | undefined): readonly (readonly [code: string, meaning: string])[] {
  return [
    [`${ExitCode.ok}`, "all is well"],
    ...(problem === undefined ? [] : [[`${ExitCode.problem}`, problem] as const]),
    [`${ExitCode.usage}`, "wrong usage"],
  ];
}

function withAlias(name: string, alias: string | undefined): string {
  return alias === undefined ? name : `${name} (${alias})`;
}

/** Lists flags under the headings of their themes, in order of appearance. */
function flagLines(flags: readonly DocumentedFlag[]): readonly string[] {
  const [first] = flags;
  const themes = Map.groupBy([...flags, { ...helpFlag, theme: first?.theme }], ({ theme }) => theme);
  return [...themes].flatMap(([theme, its], index) => [
    ...(index === 0 ? [] : [""]),
    ...(theme === undefined ? [] : [`${theme}:`]),
    ...columns(its.map(flagColumns)),
  ]);
}

function flagColumns(flag: Omit<DocumentedFlag, "theme">): readonly [string, string] {
  const short = flag.short === undefined ? "" : `-${flag.short}, `;
  const note = flag.default === "" ? "" : ` (${flag.default})`;
  return [`${short}--${flag.name} ${flag.placeholder}`.trimEnd(), `${flag.doc}${note}`];
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.min(widest, largest(rows.map(([left]) => left.length)));
  const indent = " ".repeat(width + 4);
  return rows.flatMap(([left, right]) => {
    const lines = wrapped(right, screen - indent.length);
    const [first = "", ...rest] = left.length > width ? ["", ...lines] : lines;
    return [`  ${left.padEnd(width)}  ${first}`.trimEnd(), ...rest.map((line) => indent + line)];
  });
}

/** Lines of whole words. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
