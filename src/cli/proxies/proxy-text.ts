import type { ProxyDump } from "../mesh/proxy-dump.ts";
import { textTable } from "../text/text-table.ts";
import type { NackReport } from "./fetch-status.ts";
import { nackText } from "./status-text.ts";

/** One proxy: the number of resources of each type, its outdated resources, and the objects that it does not get. */
export function proxyText(
  { node, types }: ProxyDump,
  nacks: readonly NackReport[],
  quarantined: readonly string[] = [],
): string {
  const counts = types.map(({ type_url, state = "", resources }) => [
    shortName(type_url),
    state,
    `${resources.length}`,
  ]);
  const missing = types.flatMap(({ type_url, missing: names = [] }) =>
    names.map((name) => [shortName(type_url), "NOT SENT", name, "nothing: there is no such resource"]),
  );
  const behind = types.flatMap(({ type_url, resources }) =>
    resources
      .filter(({ state }) => state !== "SYNCED")
      .map(({ name, state = "", owners }) => [
        shortName(type_url),
        state,
        name,
        owners.map(({ id, reference }) => `${id} ${reference}`.trimEnd()).join(", "),
      ]),
  );
  return [
    node,
    textTable(["TYPE", "STATUS", "RESOURCES"], counts),
    ...(behind.length + missing.length === 0
      ? []
      : [textTable(["TYPE", "STATUS", "RESOURCE", "MADE OF"], [...behind, ...missing])]),
    ...(quarantined.length === 0
      ? []
      : [["in quarantine, see binnacle quarantine list:", ...quarantined.map((id) => `  ${id}`)].join("\n")]),
    ...nacks.filter(({ proxies }) => proxies.includes(node)).map((nack) => nackText(nack)),
  ].join("\n\n");
}

/** The message name at the end of a type URL. */
function shortName(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf(".") + 1);
}
