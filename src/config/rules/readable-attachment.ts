import { isMapping } from "../../lib/is-mapping.ts";
import { isLabelKey, isLabelValue } from "../grammar/names.ts";

/** The workloads of a policy, as far as its spec can be read. Without any field they are all of the namespace. */
export interface ReadableAttachment {
  readonly selector?: { readonly matchLabels: { [key: string]: string } };
  readonly targetRefs?: { readonly group: string; readonly kind: string; readonly name: string }[];
}

/**
 * Reads the attachment of a policy that is invalid elsewhere. A selector or target that is not certain does not count:
 * too many workloads are safe, too few are not.
 */
export function readableAttachment(spec: unknown): ReadableAttachment {
  if (!isMapping(spec)) return {};
  const { selector, targetRef, targetRefs } = spec;
  const asked = [selector, targetRef, targetRefs].filter((way) => way !== undefined && way !== null);
  if (asked.length !== 1) return {};
  if (asked[0] === selector) {
    const matchLabels = labelsOf(selector);
    return matchLabels === undefined ? {} : { selector: { matchLabels } };
  }
  const targets = (Array.isArray(targetRefs) ? targetRefs : [targetRef]).map(targetOf);
  const certain = targets.filter((target) => target !== undefined);
  return certain.length > 0 && certain.length === targets.length ? { targetRefs: certain } : {};
}

function labelsOf(selector: unknown): { [key: string]: string } | undefined {
  if (!isMapping(selector) || !isMapping(selector["matchLabels"]) || Object.keys(selector).length > 1) return undefined;
  const entries = Object.entries(selector["matchLabels"]);
  const labels = entries.filter(
    (entry): entry is [string, string] =>
      isLabelKey(entry[0]) && typeof entry[1] === "string" && isLabelValue(entry[1]),
  );
  return labels.length > 0 && labels.length === entries.length ? Object.fromEntries(labels) : undefined;
}

function targetOf(raw: unknown) {
  if (!isMapping(raw) || raw["namespace"] !== undefined) return undefined;
  const { group = "", kind, name } = raw;
  if (typeof group !== "string" || typeof kind !== "string" || typeof name !== "string" || name === "")
    return undefined;
  return { group, kind, name };
}
