import { replacementText } from "../../explain/refused-object.ts";
import type { QuarantinedObject } from "./quarantine.ts";

/** One sentence about a refusal: the class, its proxies, since when, the words of the proxy, and what is served instead. */
export function refusalText(refusal: QuarantinedObject): string {
  const { class: its, proxies, since, reason, instead } = refusal;
  const count = proxies === 1 ? "1 proxy" : `${proxies} proxies`;
  return `${its} (${count}) refuses it since ${since}, and gets ${replacementText(instead)}: ${reason}`;
}
