import type { QuarantinedObject } from "./quarantine.ts";

/** One sentence about a refusal: the class, its proxies, since when, the words of the proxy, and what is served instead. */
export function refusalText(refusal: QuarantinedObject): string {
  const { class: its, proxies, since, reason } = refusal;
  const count = proxies === 1 ? "1 proxy" : `${proxies} proxies`;
  return `${its} (${count}) refuses it since ${since}, and gets ${insteadText(refusal)}: ${reason}`;
}

/** The content that proxies get in place of the object. */
export function insteadText({ instead }: Pick<QuarantinedObject, "instead">): string {
  switch (instead.type) {
    case "earlier version":
      return `earlier version ${instead.version}`.trimEnd();
    case "nothing":
      return "nothing";
    case "denied":
    default:
      return "a denial of all requests";
  }
}
