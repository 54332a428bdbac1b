import type { DeskState } from "./desk-state.ts";
import type { Endpoint } from "./endpoint.ts";
import { listChanges, oneChange } from "./handlers/changes.ts";
import { showOverview } from "./handlers/overview.ts";
import { listProxies, oneProxy } from "./handlers/proxies.ts";

const pages = {
  limit: "items per page: 50 by default, 200 at most",
  cursor: "`next` of the page before",
};

/** Every endpoint that answers with JSON. Sessions and events are beside the table: they need the connection. */
export function apiEndpoints(state: DeskState): readonly Endpoint[] {
  return [
    {
      method: "GET",
      path: "/overview",
      doc: "Whether the mesh is well, and the next step if it is not.",
      gives: "Overview",
      access: "namespace",
      answer: (request) => showOverview(state, request),
    },
    {
      method: "GET",
      path: "/changes",
      doc: "The last 500 changes of the configuration, the newest first. A restart of the server empties the list.",
      parameters: {
        search: "text in the kind, name or place of an object",
        state: "a `ChangeState`; may be repeated",
        endpoints: "`false` leaves out changes of endpoints alone",
        ...pages,
      },
      gives: "Listing<ChangeSummary>",
      access: "namespace",
      answer: (request) => listChanges(state, request),
    },
    {
      method: "GET",
      path: "/changes/ID",
      doc: "One change: its objects, its push, and the answers of proxies.",
      gives: "ChangeDetail",
      access: "namespace",
      answer: (request) => oneChange(state, request),
    },
    {
      method: "GET",
      path: "/proxies",
      doc: "The connected proxies, by node id.",
      parameters: {
        search: "text in the node id, workload, version or labels",
        state: "`synced`, `behind` or `rejecting`; may be repeated, like all filters",
        namespace: "a namespace",
        type: "`sidecar`, `router` or `proxyless`",
        version: "a version of Envoy",
        ...pages,
      },
      gives: "ProxyListing",
      access: "namespace",
      answer: (request) => listProxies(state, request),
    },
    {
      method: "GET",
      path: "/proxies/NODE",
      doc: "One proxy: its sync by type, rejections, quarantined objects, changes that it has not acknowledged, scope.",
      gives: "ProxyDetail",
      access: "namespace",
      answer: (request) => oneProxy(state, request),
    },
  ];
}
