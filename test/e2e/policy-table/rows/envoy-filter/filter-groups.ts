import type { JsonObject } from "@bufbuild/protobuf";
import { type Group, group, row } from "../../row.ts";
import {
  anyHost,
  byPatch,
  defaultRoute,
  direct,
  manager,
  marking,
  patch,
  patches,
  tcpProxy,
  types,
  web,
} from "./patches.ts";

/** The HTTP filter of this name. */
function at(name: string): JsonObject {
  return { listener: { portNumber: 8080, filterChain: { filter: { name: manager, subFilter: { name } } } } };
}

/** A filter that adds a value to the header `x-order`. */
function ordered(name: string): JsonObject {
  return { ...marking("order", name), name };
}

/** The network filter of this name at the TCP port. */
function connectionsAt(name: string): JsonObject {
  return { listener: { portNumber: 9000, filterChain: { filter: { name } } } };
}

/** An RBAC filter that closes connections from some addresses. */
function closing(name: string, ...addresses: readonly string[]): JsonObject {
  const principals = addresses.map((address) => ({ direct_remote_ip: { address_prefix: address, prefix_len: 32 } }));
  const rules = { action: "DENY", policies: { some: { permissions: [{ any: true }], principals } } };
  return {
    name,
    typed_config: { "@type": `${types}.network.rbac.v3.RBAC`, stat_prefix: name, rules },
  };
}

const [first, second, third] = ["127.0.5.1", "127.0.5.2", "127.0.5.3"];

/** HTTP filters, network filters and routes: every operation. */
export const filterGroups: readonly Group[] = [
  group(
    "HTTP filters in order",
    patches(
      patch("HTTP_FILTER", "INSERT_BEFORE", web, ordered("last")),
      patch("HTTP_FILTER", "INSERT_FIRST", web, ordered("first")),
      patch("HTTP_FILTER", "INSERT_AFTER", at("first"), ordered("third")),
      patch("HTTP_FILTER", "INSERT_BEFORE", at("third"), ordered("second")),
    ),
    [row("run where they are inserted", {}, 200, [], { received: { "x-order": "first, second, third, last" } })],
  ),
  group(
    "A merged HTTP filter",
    patches(
      patch("HTTP_FILTER", "INSERT_FIRST", web, marking("one", "first")),
      patch("HTTP_FILTER", "MERGE", at("one"), { ...marking("two", "merged"), name: "renamed" }),
      patch("HTTP_FILTER", "INSERT_AFTER", at("renamed"), marking("three", "lost")),
    ),
    [
      row("has both configurations, and keeps its place for other patches", {}, 200, [], {
        received: { "x-one": "first", "x-two": "merged", "x-three": undefined },
      }),
    ],
  ),
  group(
    "Network filters",
    patches(
      patch("NETWORK_FILTER", "INSERT_BEFORE", tcpProxy, closing("before", first)),
      patch("NETWORK_FILTER", "INSERT_FIRST", tcpProxy, closing("first", second)),
      patch("NETWORK_FILTER", "INSERT_AFTER", connectionsAt("first"), closing("after", third)),
    ),
    [
      row("that are inserted before another close connections", { protocol: "tcp", from: first }, "closed", byPatch(0)),
      row("that are inserted first close connections", { protocol: "tcp", from: second }, "closed", byPatch(1)),
      row("that are inserted after another close connections", { protocol: "tcp", from: third }, "closed", byPatch(2)),
      row("leave other connections", { protocol: "tcp" }, "answered"),
    ],
  ),
  group(
    "Replaced network filters",
    patches(
      patch("NETWORK_FILTER", "INSERT_FIRST", tcpProxy, closing("one", first)),
      patch("NETWORK_FILTER", "REPLACE", connectionsAt("one"), closing("two", second)),
      patch("NETWORK_FILTER", "INSERT_FIRST", tcpProxy, closing("three", third)),
      patch("NETWORK_FILTER", "REMOVE", connectionsAt("three")),
    ),
    [
      row("close no connections", { protocol: "tcp", from: first }, "answered"),
      row("have successors that close connections", { protocol: "tcp", from: second }, "closed", byPatch(1)),
      row("close no connections when they are removed", { protocol: "tcp", from: third }, "answered"),
    ],
  ),
  group(
    "A network filter behind the last",
    patches(patch("NETWORK_FILTER", "ADD", tcpProxy, closing("behind", first))),
    [row("is refused", { protocol: "tcp", from: first }, "answered")],
  ),
  group(
    "An added virtual host",
    patches(
      patch("VIRTUAL_HOST", "ADD", {}, { name: "added", domains: ["added.example.com"], routes: [direct("/", 202)] }),
    ),
    [row("serves its host", { host: "added.example.com" }, 202, byPatch(0)), row("leaves other hosts", {}, 200)],
  ),
  group(
    "Lists that are replaced",
    patches(
      patch("ROUTE_CONFIGURATION", "MERGE", {}, { request_headers_to_remove: ["x-a"] }),
      patch("ROUTE_CONFIGURATION", "MERGE_AND_REPLACE_LIST", {}, { request_headers_to_remove: ["x-b"] }),
      patch("VIRTUAL_HOST", "MERGE", anyHost, { request_headers_to_remove: ["x-c"] }),
      patch("VIRTUAL_HOST", "MERGE", anyHost, { request_headers_to_remove: ["x-d"] }),
      patch("HTTP_ROUTE", "MERGE", defaultRoute, { request_headers_to_remove: ["x-e"] }),
      patch("HTTP_ROUTE", "MERGE_AND_REPLACE_LIST", defaultRoute, { request_headers_to_remove: ["x-f"] }),
    ),
    [
      row(
        "have the new items alone, merged lists have all",
        { headers: { "x-a": "1", "x-b": "2", "x-c": "3", "x-d": "4", "x-e": "5", "x-f": "6" } },
        200,
        byPatch(4, 5),
        {
          received: {
            "x-a": "1",
            "x-b": undefined,
            "x-c": undefined,
            "x-d": undefined,
            "x-e": "5",
            "x-f": undefined,
          },
        },
      ),
    ],
  ),
  group(
    "An added extension configuration",
    patches(
      patch("EXTENSION_CONFIG", "ADD", {}, marking("remote", "added")),
      patch("HTTP_FILTER", "INSERT_FIRST", web, {
        name: "remote",
        config_discovery: {
          config_source: { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" },
          type_urls: [`${types}.http.header_mutation.v3.HeaderMutation`],
        },
      }),
    ),
    [row("is used by the filter of its name", {}, 200, [], { received: { "x-remote": "added" } })],
  ),
];
