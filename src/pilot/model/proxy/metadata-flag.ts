import type { Proxy } from "./proxy.ts";

/** The texts that Go's `strconv.ParseBool` takes for true. Agents send what their operators wrote. */
const truths: ReadonlySet<unknown> = new Set([true, "1", "t", "T", "true", "TRUE", "True"]);

/** Whether node metadata turns a setting on. */
export function isOn(metadata: Proxy["metadata"], key: string): boolean {
  return truths.has(metadata[key]);
}
