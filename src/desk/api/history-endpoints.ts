import type { DeskState } from "./desk-state.ts";
import type { Endpoint } from "./endpoint.ts";
import { diffMoments, listMoments, listProxiesAt } from "./handlers/history.ts";
import { diffProxyMoments } from "./handlers/history-proxy.ts";

const pair = { from: "the number of the earlier moment", to: "the number of the later moment" };

/** The endpoints of the history screen. Without `--history`, the list says that there is none. */
export function historyEndpoints(state: DeskState): readonly Endpoint[] {
  return [
    {
      method: "GET",
      path: "/history",
      doc: "The changes in the history that `--history` keeps, the newest first, also from before a restart.",
      parameters: { before: "shows only moments with a smaller number", limit: "50 by default, 200 at most" },
      gives: "HistoryListing",
      access: "namespace",
      answer: (request) => listMoments(state, request),
    },
    {
      method: "GET",
      path: "/history/diff",
      doc: "The objects that differ between two moments.",
      parameters: pair,
      gives: "HistoryDiff",
      access: "namespace",
      answer: (request) => diffMoments(state, request),
    },
    {
      method: "GET",
      path: "/history/proxies",
      doc: "The proxies that were connected at a moment, those that were behind first.",
      parameters: { at: "the number of a moment" },
      gives: "HistoryProxies",
      access: "namespace",
      answer: (request) => listProxiesAt(state, request),
    },
    {
      method: "GET",
      path: "/history/proxies/NODE/diff",
      doc: "The resources of a proxy that differ between two moments, made again from the objects. The server answers one such question at a time, and none under load.",
      parameters: pair,
      gives: "HistoryProxyDiff",
      access: "namespace",
      answer: (request) => diffProxyMoments(state, request),
    },
  ];
}
