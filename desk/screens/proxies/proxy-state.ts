import type { ProxyState, TypeSync } from "../../../src/desk/api/model/proxies.ts";
import type { Tone } from "../../parts/status.tsx";

/** The states of a proxy, with their words. */
export const proxyStates: readonly { readonly state: ProxyState; readonly tone: Tone; readonly word: string }[] = [
  { state: "synced", tone: "ok", word: "in sync" },
  { state: "behind", tone: "wait", word: "behind" },
  { state: "rejecting", tone: "error", word: "rejecting" },
];

/** The state of one type, with its tone. */
export const syncTones: Readonly<Record<TypeSync["status"], Tone>> = {
  SYNCED: "ok",
  STALE: "wait",
  "NOT SENT": "off",
  ERROR: "error",
};
