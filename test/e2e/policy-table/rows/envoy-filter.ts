import { startEcho } from "../../support/envoy/echo.ts";
import { type Area, group, object, row } from "../row.ts";
import { clusterGroups } from "./envoy-filter/cluster-groups.ts";
import { filterGroups } from "./envoy-filter/filter-groups.ts";
import { listenerGroups } from "./envoy-filter/listener-groups.ts";
import { routeSettingGroups } from "./envoy-filter/route-settings.ts";
import {
  anyHost,
  atRouter,
  byPatch,
  defaultRoute,
  direct,
  header,
  manager,
  marking,
  patch,
  patches,
  tcpProxy,
  types,
  web,
} from "./envoy-filter/patches.ts";

/** Envoy would refuse each of these, and with it the whole listener. Listeners of the table are bound to its ports. */
const refused = [
  patch("HTTP_FILTER", "ADD", web, marking("behind", "router")),
  patch("HTTP_FILTER", "REMOVE", web),
  patch("NETWORK_FILTER", "REMOVE", tcpProxy),
  patch("LISTENER", "MERGE", { listener: { portNumber: 8080 } }, { per_connection_buffer_limit_bytes: "x" }),
  patch("FILTER_CHAIN", "ADD", { listener: { portNumber: 8080 } }, { name: "empty", filters: [] }),
  patch("HTTP_ROUTE", "ADD", anyHost, { name: "no-match", direct_response: { status: 700 } }),
  patch("CLUSTER", "MERGE", {}, { connect_timeout: "-1s" }),
];

/** Patches at every place of a sidecar, observed by requests. */
export const envoyFilter: Area = {
  peers: { other: () => startEcho("other") },
  groups: [
    ...filterGroups,
    ...listenerGroups,
    ...clusterGroups,
    ...routeSettingGroups,
    group(
      "A patched route configuration",
      patches(
        patch("ROUTE_CONFIGURATION", "MERGE", {}, header("x-configuration")),
        patch("VIRTUAL_HOST", "MERGE", anyHost, header("x-host")),
        patch("HTTP_ROUTE", "MERGE", defaultRoute, header("x-route")),
        patch("HTTP_ROUTE", "INSERT_FIRST", anyHost, direct("/first", 201)),
        patch("HTTP_ROUTE", "INSERT_BEFORE", defaultRoute, direct("/before", 202)),
        patch("HTTP_ROUTE", "INSERT_AFTER", defaultRoute, direct("/after", 203)),
        patch("HTTP_ROUTE", "ADD", anyHost, direct("/last", 418)),
      ),
      [
        row("merges headers of each level", {}, 200, byPatch(2), {
          received: { "x-configuration": "patched", "x-host": "patched", "x-route": "patched" },
        }),
        row("has the route that is inserted first", { path: "/first" }, 201, byPatch(3)),
        row("has the route that is inserted before another", { path: "/before" }, 202, byPatch(4)),
        row("never reaches a route behind the default one", { path: "/after" }, 200, byPatch(2)),
        row("never reaches a route that is added last", { path: "/last" }, 200, byPatch(2)),
      ],
    ),
    group(
      "A removed route",
      patches(patch("HTTP_ROUTE", "REMOVE", defaultRoute), patch("HTTP_ROUTE", "ADD", anyHost, direct("/added", 418))),
      [row("is not found", {}, 404, byPatch(0)), row("leaves the added route", { path: "/added" }, 418, byPatch(1))],
    ),
    group(
      "A replaced virtual host",
      patches(
        patch("VIRTUAL_HOST", "REPLACE", anyHost, {
          name: "replaced",
          domains: ["*"],
          routes: [direct("/new", 202)],
        }),
      ),
      [
        row("serves the new routes", { path: "/new" }, 202, byPatch(0)),
        row("has no other route", { path: "/old" }, 404, byPatch(0)),
      ],
    ),
    group("A removed virtual host", patches(patch("VIRTUAL_HOST", "REMOVE", anyHost)), [
      row("is not found", {}, 404, byPatch(0)),
    ]),
    group(
      "Patched HTTP filters",
      patches(
        patch("HTTP_FILTER", "INSERT_FIRST", web, marking("one", "first")),
        patch("HTTP_FILTER", "INSERT_BEFORE", web, marking("two", "before")),
        patch(
          "HTTP_FILTER",
          "INSERT_AFTER",
          { listener: { filterChain: { filter: { name: manager, subFilter: { name: "one" } } } } },
          marking("three", "after"),
        ),
        patch(
          "HTTP_FILTER",
          "REPLACE",
          { listener: { filterChain: { filter: { name: manager, subFilter: { name: "two" } } } } },
          marking("four", "replaced"),
        ),
        patch("HTTP_FILTER", "REMOVE", {
          listener: { filterChain: { filter: { name: manager, subFilter: { name: "three" } } } },
        }),
      ),
      [
        row("run, unless they are replaced or removed", {}, 200, [], {
          received: { "x-one": "first", "x-two": undefined, "x-three": undefined, "x-four": "replaced" },
        }),
      ],
    ),
    group(
      "Merged filters",
      patches(
        patch(
          "NETWORK_FILTER",
          "MERGE",
          { listener: { portNumber: 8080, filterChain: { filter: { name: manager } } } },
          {
            typed_config: {
              "@type": `${types}.network.http_connection_manager.v3.HttpConnectionManager`,
              common_http_protocol_options: { headers_with_underscores_action: "DROP_HEADER" },
            },
          },
        ),
      ),
      [
        row("keep what the patch does not set", { headers: { x_under: "1", "x-plain": "2" } }, 200, [], {
          received: { x_under: undefined, "x-plain": "2" },
        }),
      ],
    ),
    group(
      "An inserted network filter",
      patches(
        patch("NETWORK_FILTER", "INSERT_BEFORE", tcpProxy, {
          name: "closing",
          typed_config: {
            "@type": `${types}.network.rbac.v3.RBAC`,
            stat_prefix: "closing",
            rules: { action: "DENY", policies: { all: { permissions: [{ any: true }], principals: [{ any: true }] } } },
          },
        }),
      ),
      [
        row("closes connections of its port", { protocol: "tcp" }, "closed", byPatch(0)),
        row("leaves other ports", {}, 200),
      ],
    ),
    group("Refused patches", patches(...refused, patch("HTTP_ROUTE", "MERGE", defaultRoute, header("x-good"))), [
      row("leave HTTP as it is, and good patches", {}, 200, byPatch(7), { received: { "x-good": "patched" } }),
      row("leave TCP as it is", { protocol: "tcp" }, "answered"),
      row("leave mTLS as it is", { through: "client" }, 200, byPatch(7)),
    ]),
    group(
      "Patches of other workloads",
      [
        object("EnvoyFilter", "others", {
          workloadSelector: { labels: { app: "nobody" } },
          configPatches: [patch("HTTP_ROUTE", "REMOVE", {})],
        }),
        object("EnvoyFilter", "gateways", {
          configPatches: [{ ...patch("HTTP_ROUTE", "REMOVE", {}), match: { context: "GATEWAY" } }],
        }),
        object("EnvoyFilter", "versions", {
          configPatches: [patch("HTTP_ROUTE", "REMOVE", { proxy: { proxyVersion: "^0\\..*" } })],
        }),
      ],
      [row("change nothing", {}, 200)],
    ),
    group(
      "Patches by priority",
      [
        object("EnvoyFilter", "a-late", {
          priority: 10,
          configPatches: [patch("HTTP_ROUTE", "INSERT_FIRST", anyHost, direct("/order", 202))],
        }),
        object("EnvoyFilter", "b-early", {
          priority: -10,
          configPatches: [patch("HTTP_ROUTE", "INSERT_FIRST", anyHost, direct("/order", 201))],
        }),
      ],
      [
        row(
          "apply in order, so that the last comes first",
          { path: "/order" },
          202,
          "EnvoyFilter a-late configPatches[0]",
        ),
      ],
    ),
    group(
      "A patched router",
      [
        object("EnvoyFilter", "routes", {
          configPatches: [
            { ...patch("HTTP_ROUTE", "INSERT_FIRST", anyHost, direct("/first", 201)), match: { context: "GATEWAY" } },
            { ...patch("VIRTUAL_HOST", "MERGE", {}, header("x-host")), match: { context: "GATEWAY" } },
            {
              ...patch("HTTP_FILTER", "INSERT_FIRST", {}, marking("one", "first")),
              match: { context: "GATEWAY", listener: atRouter },
            },
          ],
        }),
      ],
      [
        row("has the added route", { path: "/first" }, 201, "EnvoyFilter routes configPatches[0]"),
        row("merges headers and runs the added filter", {}, 200, [], {
          received: { "x-host": "patched", "x-one": "first" },
        }),
      ],
      { at: "router", alone: true },
    ),
  ],
};
