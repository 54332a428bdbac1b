import type { QuarantinedObject } from "../../admin/pilot/quarantine.ts";
import type { QuarantinePage } from "../../admin/pilot/quarantine-page.ts";
import { replacementText } from "../../explain/refused-object.ts";
import { counted } from "../../lib/counted.ts";
import { textTable } from "../text/text-table.ts";
import type { WatchedTable } from "../watch/change-printer.ts";

/** For people: a line per object and class, then the words of the proxies. `wide` has everything in columns. */
export function quarantineText(page: QuarantinePage, form: "text" | "wide"): string {
  if (!page.enabled) return "this server keeps no object away: see --quarantine";
  return [
    page.objects.length === 0 ? "nothing is in quarantine" : objectsText(page.objects, form),
    ...page.released.map(
      ({ object, reference, class: its }) =>
        `${reference === "" ? "" : `${reference}: `}${object} is served to ${its}, because an operator released it`,
    ),
    ...searchText(page),
  ].join("\n\n");
}

function objectsText(objects: readonly QuarantinedObject[], form: "text" | "wide"): string {
  const { head, items } = quarantineTable(objects, form);
  const table = textTable(
    head,
    items.map(({ cells }) => cells),
  );
  return form === "wide" ? table : [table, ...objects.map(reasonText)].join("\n\n");
}

/** The same table for a watch. One class of proxies may refuse an object, and another class may not. */
export function quarantineTable(objects: readonly QuarantinedObject[], form: string): WatchedTable {
  const isWide = form === "wide";
  const head = ["OBJECT", "REFUSED BY", "PROXIES", "SINCE", "INSTEAD", "STATE"];
  const more = isWide ? ["PLACE", "VERSION", "FOUND ON", "CONFIRMED BY", "PROBES", "REASON"] : [];
  const items = objects.map((each) => ({
    key: `${each.object} ${each.class}`,
    object: each,
    cells: [
      each.object,
      each.class,
      String(each.proxies),
      each.since,
      replacementText(each.instead),
      stateText(each),
      ...(isWide ? [each.reference, each.version, each.node, each.confirmedBy, String(each.probes), each.reason] : []),
    ],
  }));
  return { head: [...head, ...more], items };
}

/** `mesh/routes.yaml:7: VirtualService/shop/reviews: …` and the rejected resources. */
function reasonText({ object, reference, reason, rejected }: QuarantinedObject): string {
  const resources = rejected.map(({ type, resources: [first = "", ...more] }) =>
    `  rejected: ${type} ${first}${more.length === 0 ? "" : ` or one of ${counted(more.length, "other")}`}`.trimEnd(),
  );
  return [`${reference === "" ? "" : `${reference}: `}${object}: ${reason}`, ...resources].join("\n");
}

function stateText({ state, version }: QuarantinedObject): string {
  switch (state.type) {
    case "refused":
      return version === "" ? "deletion refused" : "refused";
    case "being tried":
      return "being tried";
    case "wave":
    default:
      return `accepted, wave ${state.wave} of ${state.waves}`;
  }
}

function searchText({ search, untrusted }: QuarantinePage): readonly string[] {
  const running =
    search === null
      ? []
      : [`a search runs on ${search.node}: ${counted(search.suspects, "suspect")}, ${counted(search.probes, "probe")}`];
  const lines = untrusted.map(({ node, reason, until }) => {
    return `${node} is not used for searches${until === "" ? "" : ` until ${until}`}: ${reason}`;
  });
  return [...running, ...(lines.length === 0 ? [] : [lines.join("\n")])];
}
