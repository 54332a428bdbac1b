import { largest } from "../lib/extremes.ts";
import { type Command, type DocumentedFlag, ExitCode, type ListedCommand } from "./command.ts";

/** Terminals are at least this wide. */
const screen = 80;
/** What is longer in the left column has its line to itself. */
const widest = 27;

const helpFlag: DocumentedFlag = {
  name: "help",
  short: "h",
  type: "switch",
  placeholder: "",
  doc: "this text",
  default: "",
};

/** The text of `binnacle --help`. */
export function overview(commands: readonly ListedCommand[]): string {
  return [
    "binnacle: a service-mesh control plane for Envoy and proxyless gRPC",
    "",
    "usage: binnacle COMMAND [arguments]",
    "",
    ...columns(commands.map(({ name, summary }) => [name, summary])),
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
    ...columns([...flags, helpFlag].map(flagColumns)),
    "",
    "examples:",
    ...examples.map((example) => `  binnacle ${example}`),
    "",
    "exit codes:",
    ...columns(exitCodes(problem)),
  ].join("\n");
}

/** What each exit code of a command means. */
export function exitCodes(problem: string | undefined): readonly (readonly [code: string, meaning: string])[] {
  return [
    [`${ExitCode.ok}`, "all is well"],
    ...(problem === undefined ? [] : [[`${ExitCode.problem}`, problem] as const]),
    [`${ExitCode.usage}`, "wrong usage"],
  ];
}

function flagColumns(flag: DocumentedFlag): readonly [string, string] {
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
