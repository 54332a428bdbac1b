import { optionRows } from "../../src/app/options/options.ts";
import type { Command, DocumentedFlag, ListedCommand } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { exitCodes, helpFlag } from "../../src/cli/help.ts";
import { bold, italic, literal, roffText, section, term } from "./roff.ts";

/** A file of the package: `binnacle.1`, `binnacle-serve.1`. */
export interface ManPage {
  readonly name: string;
  readonly text: string;
}

const product = "a service-mesh control plane for Envoy and proxyless gRPC";

/** The product that the pages describe. */
export interface Edition {
  readonly version: string;
  /** As 2026-01-31. */
  readonly day: string;
}

/** The manual: one page for each command, and one that lists them. All texts are those of `--help`. */
export async function manPages(edition: Edition): Promise<readonly ManPage[]> {
  const loaded = await Promise.all(commands.map(async (listed) => [listed, (await listed.load()).command] as const));
  return [overviewPage(edition), ...loaded.map(([listed, command]) => commandPage(listed, command, edition))];
}

function titled(name: string, { version, day }: Edition, lines: readonly string[]): ManPage {
  const title = `.TH ${name.toUpperCase()} 1 "${day}" "Binnacle ${version}" "Binnacle Manual"`;
  return { name: `${name}.1`, text: `${[title, ...lines].join("\n")}\n` };
}

function overviewPage(edition: Edition): ManPage {
  return titled("binnacle", edition, [
    ...section("Name", [`binnacle \\- ${roffText(product)}`]),
    ...section("Synopsis", [`${bold("binnacle")} ${italic("COMMAND")} [${italic("arguments")}]`]),
    ...section("Description", [
      roffText("Every command has a page of its own, such as binnacle-serve(1), and --help."),
      roffText("Data goes to stdout, everything else to stderr."),
    ]),
    ...section(
      "Commands",
      commands.flatMap(({ name, alias, summary }) =>
        term(alias === undefined ? bold(name) : `${bold(name)}, ${bold(alias)}`, summary),
      ),
    ),
    ...section("Exit status", exitLines("a problem was found, or the command failed")),
    ...seeAlso(commands.map(({ name }) => `binnacle-${name}`)),
  ]);
}

function commandPage({ name, alias, summary }: ListedCommand, command: Command, edition: Edition): ManPage {
  const { usage, flags, examples, problem } = command;
  const [first = summary] = summary.split(/(?<=\.) /u);
  const isServer = flags.some(({ theme }) => theme !== undefined);
  return titled(`binnacle-${name}`, edition, [
    ...section("Name", [`binnacle\\-${roffText(name)} \\- ${roffText(first.replace(/\.$/u, ""))}`]),
    ...section("Synopsis", [`${bold(`binnacle ${name}`)} ${roffText(usage)}`.trimEnd()]),
    ...section("Description", [
      roffText(summary),
      ...(alias === undefined ? [] : [roffText(`binnacle ${alias} is the same command.`)]),
    ]),
    ...section("Options", optionLines([...flags, { ...helpFlag, ...(isServer && { theme: "others" }) }])),
    ...(isServer ? environment(flags) : []),
    ...section("Exit status", exitLines(problem)),
    ...section("Examples", literal(examples.map((example) => `binnacle ${example}`))),
    ...seeAlso(["binnacle"]),
  ]);
}

/** Under the headings of their themes, in order of appearance. */
function optionLines(flags: readonly DocumentedFlag[]): readonly string[] {
  const themes = Map.groupBy(flags, ({ theme }) => theme);
  return [...themes].flatMap(([theme, its]) => [
    ...(theme === undefined ? [] : [`.SS ${roffText(capitalized(theme))}`]),
    ...its.flatMap((flag) => term(flagText(flag), flagMeaning(flag))),
  ]);
}

function flagText({ name, short, placeholder }: DocumentedFlag): string {
  const names = [...(short === undefined ? [] : [bold(`-${short}`)]), bold(`--${name}`)].join(", ");
  return placeholder === "" ? names : `${names} ${italic(placeholder)}`;
}

function flagMeaning({ doc, default: byDefault }: DocumentedFlag): string {
  return byDefault === "" ? doc : `${doc} Default: ${byDefault}.`;
}

/** The variables of the flags that a server has. */
function environment(flags: readonly DocumentedFlag[]): readonly string[] {
  const names = new Set(flags.map(({ name }) => name));
  const rows = optionRows.map(([, option]) => option).filter(({ name }) => names.has(name));
  return section("Environment", [
    "A flag wins over its variables, and the first variable over the others.",
    ...rows.flatMap(({ name, env }) => term(env.map(bold).join(", "), `As --${name}.`)),
  ]);
}

function exitLines(problem: string | undefined): readonly string[] {
  return exitCodes(problem).flatMap(([code, meaning]) => term(bold(code), `${capitalized(meaning)}.`));
}

function seeAlso(pages: readonly string[]): readonly string[] {
  return section("See also", [pages.map((page) => `${bold(page)}(1)`).join(",\n")]);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
