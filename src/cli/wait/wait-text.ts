import { rolloutLines } from "./rollout-lines.ts";
import type { ObjectProgressPage } from "../../admin/pilot/object-progress.ts";
import { textTable } from "../text/text-table.ts";

const sentences: Readonly<Record<ObjectProgressPage["state"], string>> = {
  live: "is live",
  deleted: "is deleted",
  pending: "is not live yet",
  rejected: "is rejected",
  staged: "is delivered in waves",
  halted: "is held back",
  unused: "is used by no connected proxy",
  unknown: "is unknown to the server",
  excluded: "is ignored: the server excludes this kind",
  "other content": "has other content on the server",
  present: "is not deleted",
};

type Missing = ObjectProgressPage["missing"];

/** For people: one line about the object, and a table of the missing answers. */
export function waitText(page: ObjectProgressPage, form: "text" | "wide"): string {
  const { object, state, proxies, waits, missing, missingCount } = page;
  const [kind = "", ...key] = object.split("/");
  const name = `${kind} ${key.filter((part) => part !== "").join("/")}`;
  const shares = proxies.reached === 0 ? "" : ` on ${proxies.live} of ${proxies.reached} proxies`;
  const where = ["live", "pending", "rejected", "staged"].includes(state) ? shares : "";
  const line = `${name} ${sentences[state]}${where}${placeOf(page)}${waits ? "; it waits for its push" : ""}`;
  const head = [line, ...(page.rollout === undefined ? [] : rolloutLines(page.rollout))].join("\n");
  if (missing.length === 0) return head;
  const more = missingCount > missing.length ? [`and ${missingCount - missing.length} more`] : [];
  return [head, form === "wide" ? wideTable(missing) : missingTable(missing), ...more].join("\n");
}

function missingTable(missing: Missing): string {
  const rows = missing.map(({ proxy, type, resources, resourceCount, why, since, message }) => [
    proxy,
    typeText(type),
    resourcesText(resources, resourceCount, 1),
    since,
    message === "" ? why : `${why}: ${message}`,
  ]);
  return textTable(["PROXY", "TYPE", "RESOURCE", "SINCE", "WHY"], rows);
}

function wideTable(missing: Missing): string {
  const rows = missing.map(({ proxy, namespace, type, resources, resourceCount, why, since, message }) => [
    proxy,
    namespace,
    typeText(type),
    resourcesText(resources, resourceCount, resources.length),
    since,
    why,
    message,
  ]);
  return textTable(["PROXY", "NAMESPACE", "TYPE", "RESOURCES", "SINCE", "WHY", "MESSAGE"], rows);
}

function typeText(type: string): string {
  return type === "" ? "all" : type;
}

function placeOf({ reference, contentHash }: ObjectProgressPage): string {
  return contentHash === "" ? "" : ` (${reference}, content ${contentHash})`;
}

function resourcesText(resources: readonly string[], count: number, most: number): string {
  const shown = resources.slice(0, most).join(", ") || "-";
  return count > most ? `${shown} and ${count - most} more` : shown;
}
