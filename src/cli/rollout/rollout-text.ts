import type { RolloutsPage, ShownRollout } from "../../admin/pilot/rollouts-page.ts";
import { counted } from "../../lib/counted.ts";
import { textTable } from "../text/text-table.ts";
import type { WatchedTable } from "../watch/change-printer.ts";

/** A line per rollout. `wide` also has those that ended. */
export function rolloutsText(page: RolloutsPage, form: "text" | "wide"): string {
  const { head, items } = rolloutsTable(page, form);
  if (items.length === 0) return "no change is staged";
  return textTable(
    head,
    items.map(({ cells }) => cells),
  );
}

/** The same table for a watch. */
export function rolloutsTable({ rollouts, ended }: RolloutsPage, form: string): WatchedTable {
  const shown = form === "wide" ? [...rollouts, ...ended] : rollouts;
  const items = shown.map((each, index) => ({
    key: index < rollouts.length ? each.rollout : `${each.rollout} ${each.since}`,
    object: each,
    cells: [
      each.rollout,
      each.phase,
      waveCell(each),
      `${each.accepted}/${each.proxies}`,
      counted(each.objects.length, "object"),
      each.since,
      each.reason,
    ],
  }));
  return { head: ["ROLLOUT", "PHASE", "WAVE", "ACCEPTED", "OBJECTS", "SINCE", "REASON"], items };
}

/** Everything about one rollout, and its events in the order of time. */
export function rolloutText(rollout: ShownRollout): string {
  const { objects, missing, events, gate } = rollout;
  const facts = [
    `${rollout.rollout}: ${rollout.phase}, wave ${waveCell(rollout)}${rollout.reason === "" ? "" : `: ${rollout.reason}`}`,
    ...(rollout.with.length === 0 ? [] : [`delivered with ${rollout.with.join(", ")}`]),
    `accepted by ${rollout.accepted} of ${rollout.proxies} proxies of the waves so far`,
    ...missing.map((node) => `  no answer: ${node}`),
    ...(gate === "" ? [] : [`gate ${gate}`]),
  ];
  const changed = objects.map(({ object, change, reference, joined }) => [
    object,
    change,
    reference,
    joined ? "joined" : "",
  ]);
  const steps = events.map(({ at, type, wave, proxies, by, reason }) => {
    return [at, type, String(wave), String(proxies), by, reason];
  });
  return [
    facts.join("\n"),
    textTable(["OBJECT", "CHANGE", "PLACE", ""], changed),
    textTable(["TIME", "EVENT", "WAVE", "PROXIES", "BY", "REASON"], steps),
  ].join("\n\n");
}

function waveCell({ wave, waves }: ShownRollout): string {
  const name = waves[wave - 1];
  return name === undefined ? `0 of ${waves.length}` : `${wave} of ${waves.length} (${name})`;
}
