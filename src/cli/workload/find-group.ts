import type { SourceText } from "../../app/offline/text-source.ts";
import type { Config } from "../../config/config.ts";
import { configKey } from "../../config/config.ts";
import { isRefused } from "../../config/finding.ts";
import { workloadGroup } from "../../config/kinds/workload-group.ts";
import { kinds } from "../../config/kinds.ts";
import { type MachineGroup, machineGroup } from "../../config/mesh/machine-group.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { append } from "../../lib/append.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import { issueText } from "../issues/issue-text.ts";

/** The name of a group, and the namespace of objects that name none. */
export interface GroupName {
  readonly namespace: string;
  readonly name: string;
}

/** The group in some texts. Throws `not-found`, and `bad-config` after it printed the errors of the group's file. */
export function findGroup(texts: readonly SourceText[], wanted: GroupName, terminal: Terminal): MachineGroup {
  const known: string[] = [];
  for (const { text, file } of texts) {
    const context = { kinds, file, source: file, defaultNamespace: wanted.namespace };
    const { configs, issues } = parseConfigs({ ...context, text });
    const groups = configs.filter(({ kind }) => kind === workloadGroup.kind);
    const found = groups.find((config) => isWanted(config, wanted));
    if (found !== undefined) return machineGroup(found);
    append(known, groups.map(configKey));
    const id = `${workloadGroup.kind} ${wanted.namespace}/${wanted.name}`;
    const own = issues.filter(({ object }) => object === id);
    if (!isRefused(own)) continue;
    for (const issue of own) {
      terminal.complain(issueText(issue, { textOf: () => text, coloured: terminal.coloured.complain }));
    }
    throw new MeshError("bad-config", `${id} has errors; nothing was written`);
  }
  const others = known.length === 0 ? "" : `; there are ${known.join(", ")}`;
  throw new MeshError("not-found", `there is no WorkloadGroup ${wanted.namespace}/${wanted.name}${others}`);
}

function isWanted({ namespace, name }: Config, wanted: GroupName): boolean {
  return name === wanted.name && namespace === wanted.namespace;
}
