import { readFileSync } from "node:fs";
import { type Options, optionTable } from "../../app/options.ts";
import { readOptions } from "../../app/read-options.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { optionFlag } from "./option-flag.ts";
import type { ReadFlags } from "./read-flags.ts";

/** The settings of a server that also count where there is none. */
export type MeshSettings = Pick<Options, "mesh" | "networks" | "domain" | "clusterId">;

/** Those that say how names are completed. */
export const nameFlags: readonly DocumentedFlag[] = [optionTable.domain, optionTable.clusterId].map(optionFlag);

export const meshFlags: readonly DocumentedFlag[] = [
  optionFlag(optionTable.mesh),
  optionFlag(optionTable.networks),
  ...nameFlags,
];

/** From flags, the environment and the configuration file, as a server reads them. Throws `bad-option`. */
export function readMeshFlags(flags: ReadFlags, { env }: Pick<Terminal, "env">): MeshSettings {
  const names = new Set(meshFlags.map(({ name }) => name));
  const { mesh, networks, domain, clusterId } = readOptions({
    arguments: flags.arguments.filter((argument) => argument.type === "flag" && names.has(argument.name)),
    env,
    readFile: (path) => readFileSync(path, "utf8"),
  });
  return { mesh, networks, domain, clusterId };
}
