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

The kinds that Binnacle reads from sources. An unknown field of an Istio kind is an error. Of Kubernetes' own kinds, only
the fields that Binnacle uses are read. Sources fill the collection of a kind. The last column has the collection in which
the objects leave Galley, and its snapshots. Kinds without it are inputs of others: services, gateways, routes. Without
\`--service-discovery\`, Binnacle does not read the kinds with a ◆. Snapshots: ${Object.entries(snapshotStrategies)
    .map(([group, strategy]) => `\`${group}\` (${strategy})`)
    .join(", ")}.

${markdownTable(["kind", "API versions", "message", "collection", "leaves as"], rows)}`;
}
