import { outputOf, snapshotStrategies } from "../../src/config/kind.ts";
import { kinds } from "../../src/config/kinds.ts";
import { markdownTable } from "./table.ts";

export function kindsPage(): string {
  const rows = kinds.map((kind) => {
    const { group, versions, aliases = [], scope, schema, collection, snapshot = "default" } = kind;
    const served = [...versions.map((version) => (group === "" ? version : `${group}/${version}`)), ...aliases];
    const output = outputOf(kind);
    return [
      `${kind.kind}${kind.requiredForServiceDiscovery ? " ◆" : ""}${scope === "cluster" ? " (cluster)" : ""}`,
      served.map((apiVersion) => `\`${apiVersion}\``).join(", "),
      `\`${schema.typeName}\``,
      `\`${collection}\``,
      output === undefined ? "–" : `\`${output}\`, ${snapshot}`,
    ];
  });
  return `# Kinds

The objects that sources are read for. Unknown fields of Istio's kinds are errors; of Kubernetes' own kinds only the
part is read that somebody here needs. Sources fill the collection of a kind; what it leaves Galley as, and in which
snapshots, is in the last column. A kind without one is what others are made of: services, gateways, routes. Without
\`--service-discovery\` the kinds with a ◆ are not read. Snapshots: ${Object.entries(snapshotStrategies)
    .map(([group, strategy]) => `\`${group}\` (${strategy})`)
    .join(", ")}.

${markdownTable(["kind", "API versions", "message", "collection", "leaves as"], rows)}`;
}
