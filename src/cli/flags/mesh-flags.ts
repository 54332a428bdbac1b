import { readFileSync } from "node:fs";
import { type Options, optionTable } from "../../app/options/options.ts";
import { readOptions } from "../../app/options/read-options.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { optionFlag } from "./option-flag.ts";
import type { ReadFlags } from "./read-flags.ts";

/** The settings of a server that commands without a server use, too. */
export type MeshFlagValues = Pick<
  Options,
  "mesh" | "networks" | "domain" | "clusterId" | "scopeGatewayToNamespace" | "allowUnenforced"
>;

/** The flags that complete short names. */
export const nameFlags: readonly DocumentedFlag[] = [optionTable.domain, optionTable.clusterId].map(optionFlag);

export const meshFlags: readonly DocumentedFlag[] = [
  optionFlag(optionTable.mesh),
  optionFlag(optionTable.networks),
  optionFlag(optionTable.scopeGatewayToNamespace),
  optionFlag(optionTable.allowUnenforced),
  ...nameFlags,
];

/** From flags, the environment and the configuration file, as a server reads them. Throws `bad-option`. */
export function readMeshFlags(flags: ReadFlags, terminal: Pick<Terminal, "env">): MeshFlagValues {
  const options = readOptionFlags(flags, meshFlags, terminal);
  const { mesh, networks, domain, clusterId, scopeGatewayToNamespace, allowUnenforced } = options;
  return { mesh, networks, domain, clusterId, scopeGatewayToNamespace, allowUnenforced };
}

/** All settings of a server. Settings without a flag in `taken` have their defaults. Throws `bad-option`. */
export function readOptionFlags(
  flags: ReadFlags,
  taken: readonly DocumentedFlag[],
  { env }: Pick<Terminal, "env">,
): Options {
  const names = new Set(taken.map(({ name }) => name));
  return readOptions({
    arguments: flags.arguments.filter((argument) => argument.type === "flag" && names.has(argument.name)),
    env,
    readFile: (path) => readFileSync(path, "utf8"),
  });
}
