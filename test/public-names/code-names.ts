import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { optionRows } from "../../src/app/options/options.ts";
import { attributeTable, spanTable } from "../../src/app/telemetry/trace/span-table.ts";
import { commands } from "../../src/cli/commands.ts";
import { messageTypes } from "../../src/config/analysis/messages.ts";
import { issueCodes } from "../../src/config/issue-codes.ts";
import { meshErrors } from "../../src/lib/errors.ts";
import { debugPages } from "../reference/introspection.ts";
import { metricsPage } from "../reference/metrics.ts";
import { sourceSchemes } from "../reference/sources.ts";

const src = join(import.meta.dirname, "../../src");

/** All commands with their flags. */
export const loadedCommands = await Promise.all(
  commands.map(async ({ load, name }) => ({ name, flags: (await load()).command.flags })),
);

/** The names in tables of the code that scripts and programs rely on, as `GROUP NAME`. */
export function codeNames(): readonly string[] {
  return [
    ...optionRows.flatMap(([, { name, env }]) => [`setting --${name}`, ...env.map((each) => `variable ${each}`)]),
    // It names the store of commands, and is no setting of a server.
    "variable BINNACLE_STORE",
    ...loadedCommands.flatMap(({ name, flags }) => [
      `command ${name}`,
      ...flags.flatMap((flag) => flagNames(name, flag)),
    ]),
    ...sourceSchemes.flatMap(({ name, settings }) => [
      `source ${name}:`,
      ...settings.map((setting) => `source ${name}:?${setting}=`),
    ]),
    ...metricNames(),
    ...Object.values(spanTable).map(({ name }) => `span ${name}`),
    ...Object.values(attributeTable).map(([name]) => `attribute ${name}`),
    ...Object.values(issueCodes).flatMap((codes) => Object.keys(codes).map((code) => `issue ${code}`)),
    ...messageTypes.map(({ code }) => `analysis ${code}`),
    ...Object.keys(meshErrors).map((code) => `error ${code}`),
    ...debugPages().map(({ path }) => `page ${path}`),
    ...exportsOf("index.ts").map((name) => `export . ${name}`),
    ...exportsOf("xds.ts").map((name) => `export ./xds ${name}`),
  ];
}

function flagNames(command: string, { name, short }: { readonly name: string; readonly short?: string }) {
  return [`flag ${command} --${name}`, ...(short === undefined ? [] : [`flag ${command} -${short}`])];
}

/** Metrics and their labels, from the rows of the reference. */
function metricNames(): readonly string[] {
  const rows = Array.from(metricsPage().matchAll(/^\| `(?<name>\w+)` \| (?<labels>[^|]*) \|/gmu));
  return rows.flatMap(({ groups }) => {
    const labels = Array.from((groups?.["labels"] ?? "").matchAll(/\w+/gu), ([label]) => label);
    return [`metric ${groups?.["name"]}`, ...labels.map((label) => `metric ${groups?.["name"]}{${label}}`)];
  });
}

/** The exported names of a module, types included. */
function exportsOf(path: string): readonly string[] {
  const { module } = parseSync(path, readFileSync(join(src, path), "utf8"));
  return module.staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName }) => exportName.name ?? []));
}
