import type { DeskState } from "./desk-state.ts";
import type { Endpoint } from "./endpoint.ts";
import { setLogLevel, showControlPlane } from "./handlers/control-plane.ts";
import { listChanges, oneChange } from "./handlers/changes.ts";
import { listObjects, listReached, oneObject } from "./handlers/configuration.ts";
import { explainRequest } from "./handlers/explain.ts";
import { historyEndpoints } from "./history-endpoints.ts";
import { meshEndpoints } from "./mesh-endpoints.ts";
import { planChange } from "./handlers/plan.ts";
import { showOverview } from "./handlers/overview.ts";
import { pages } from "./page-parameters.ts";
import { listRollouts } from "./handlers/rollouts.ts";
import { listProxies, oneProxy } from "./handlers/proxies.ts";
import { diffProxies, diffResource } from "./handlers/proxy-diff.ts";
import { listResources, oneResource } from "./handlers/proxy-resources.ts";
import { explainField } from "./handlers/why.ts";
import { listServices } from "./handlers/proxy-services.ts";

/** Every endpoint that answers with JSON. Sessions and events are beside the table: they need the connection. */
export function apiEndpoints(state: DeskState): readonly Endpoint[] {
  return [
    ...meshEndpoints(state),
    ...historyEndpoints(state),
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
      path: "/rollouts",
      doc: "The changes that reach proxies in waves, each with its timeline: those that are not over, then the last 20 that ended.",
      gives: "Listing<RolloutTimeline>",
      access: "namespace",
      answer: (request) => listRollouts(state, request),
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
    {
      method: "GET",
      path: "/proxies/NODE/services",
      doc: "The services that one proxy sees, each with the reason. A workload sees the whole scope of its own proxies.",
      parameters: {
        search: "text in the hostname or namespace",
        namespace: "a namespace",
        why: "a reason, as in the answer",
        ...pages,
      },
      gives: "ScopeListing",
      access: "namespace",
      answer: (request) => listServices(state, request),
    },
    {
      method: "GET",
      path: "/proxies/NODE/resources",
      doc: "The resources that one proxy has or should have. A workload sees all resources of its own proxies.",
      parameters: {
        search: "text in the name of a resource, or in the id of an object that it is made from",
        type: "`CDS`, `EDS`, `LDS`, `RDS`, …",
        status: "`SYNCED`, `STALE`, `NOT SENT` or `ERROR`",
        ...pages,
      },
      gives: "ResourceListing",
      access: "namespace",
      answer: (request) => listResources(state, request),
    },
    {
      method: "GET",
      path: "/proxies/NODE/resources/NAME",
      doc: "One resource as JSON, without secrets, and the objects behind its parts.",
      parameters: { type: "the type of the resource, such as `CDS`" },
      gives: "ProxyResourceDetail",
      access: "namespace",
      answer: (request) => oneResource(state, request),
    },
    {
      method: "GET",
      path: "/proxies/NODE/resources/NAME/why",
      doc: "The lines behind the value of one field, as `binnacle why` finds them. The server answers one such question at a time, and none under load.",
      parameters: {
        type: "the type of the resource, such as `CDS`",
        field:
          "the path of the field, such as `virtual_hosts[0].routes[2].route.timeout`; empty for the whole resource",
      },
      gives: "FieldCauses",
      access: "operators",
      answer: (request) => explainField(state, request),
    },
    {
      method: "GET",
      path: "/proxies/NODE/diff",
      doc: "The resources of two proxies, compared by type.",
      parameters: { with: "the node id of the other proxy" },
      gives: "ProxyDiff",
      access: "namespace",
      answer: (request) => diffProxies(state, request),
    },
    {
      method: "GET",
      path: "/proxies/NODE/diff/NAME",
      doc: "One resource of two proxies: the parts that differ.",
      parameters: { with: "the node id of the other proxy", type: "the type of the resource, such as `CDS`" },
      gives: "ResourceDiff",
      access: "namespace",
      answer: (request) => diffResource(state, request),
    },
    {
      method: "GET",
      path: "/configuration",
      doc: "The objects of all sources, with their issues.",
      parameters: {
        search: "words in the id of an object, its place, its labels or its hosts; an object must have all words",
        kind: "a kind",
        namespace: "a namespace; empty for objects of the whole cluster",
        source: "the name of a source",
        severity: "`error`, `warning`, `info` or `none`: of the worst issue",
        ...pages,
      },
      gives: "ConfigurationListing",
      access: "namespace",
      answer: (request) => listObjects(state, request),
    },
    {
      method: "GET",
      path: "/configuration/KIND/NAMESPACE/NAME",
      doc: "One object: its text, its issues, its sources, and the resources that are made from it.",
      gives: "ObjectDetail",
      access: "namespace",
      answer: (request) => oneObject(state, request),
    },
    {
      method: "GET",
      path: "/configuration/KIND/NAMESPACE/NAME/proxies",
      doc: "The proxies with resources that are made from one object.",
      parameters: { search: "text in the node id", ...pages },
      gives: "Listing<ReachedProxy>",
      access: "namespace",
      answer: (request) => listReached(state, request),
    },
    {
      method: "POST",
      path: "/explain",
      doc: "Where a request goes and why, as `binnacle explain --server` says. With edited objects, also what would change.",
      takes: "ExplainRequest",
      gives: "ExplainAnswer",
      access: "namespace",
      answer: (request) => explainRequest(state, request),
    },
    {
      method: "POST",
      path: "/plan",
      doc: "The effect of a change on the connected proxies, as `binnacle plan --server` says. The server makes one at a time, and none under load.",
      takes: "PlanRequest",
      gives: "PlanAnswer",
      access: "operators",
      answer: (request) => planChange(state, request),
    },
    {
      method: "GET",
      path: "/control-plane",
      doc: "The server itself: load, push queue, time of pushes, memory, certificates, log levels.",
      gives: "ControlPlane",
      access: "operators",
      answer: () => showControlPlane(state),
    },
    {
      method: "PUT",
      path: "/control-plane/log-level",
      doc: "Changes the level of a log scope. Needs a token of an operator, also on the server's machine.",
      takes: "LogLevelRequest",
      gives: "LogFacts",
      access: "operators",
      changesState: true,
      answer: (request) => setLogLevel(state, request),
    },
  ];
}
