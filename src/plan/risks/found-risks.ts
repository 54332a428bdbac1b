import type { PlannedRequest, Risk } from "../plan.ts";
import type { PlannedOutcome } from "../requests/outcome.ts";

/** A risk, and the proxies for which it was found. */
export interface FoundRisk {
  readonly risk: Risk;
  readonly proxies: readonly string[];
}

/** One risk for all proxies with the same one. */
export function mergedRisks(found: readonly FoundRisk[]): readonly Risk[] {
  const groups = Map.groupBy(found, ({ risk }) => JSON.stringify(risk));
  return Array.from(groups.values(), (equal) => {
    const [{ risk }] = equal as [FoundRisk];
    return { ...risk, text: `${risk.text}, at ${someOf(equal.flatMap(({ proxies }) => proxies))}` };
  });
}

/** Requests that a proxy forwarded or answered as its routes say, and that fail after the change. */
export function failingRequests(changes: readonly PlannedRequest[]): readonly Risk[] {
  return changes
    .filter(({ before, after }) => !fails(before) && fails(after))
    .map(({ method, url, proxies, after, objects }) => ({
      code: "request-fails",
      text: `${method} ${url} at ${someOf(proxies)} gets ${after.text}`,
      objects,
    }));
}

function fails({ type, targets }: PlannedOutcome): boolean {
  return type === "refused" || targets.some(({ problem }) => problem !== undefined);
}

export function manyProxies(
  { total, touched }: { readonly total: number; readonly touched: number },
  most: number,
): readonly Risk[] {
  if (total === 0 || touched / total <= most) return [];
  const text = `${touched} of ${total} proxies are touched, more than ${Number((most * 100).toFixed(2))} %`;
  return [{ code: "many-proxies", text, objects: [] }];
}

const shownProxies = 3;

/** The first few names. The plan as JSON has all of them. */
export function someOf(names: readonly string[]): string {
  const more = names.length - shownProxies;
  return `${names.slice(0, shownProxies).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
