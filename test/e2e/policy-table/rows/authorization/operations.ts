import type { JsonObject } from "@bufbuild/protobuf";
import { type Group, group, policy, row } from "../../row.ts";

const allow = "AuthorizationPolicy allow rule 0";
const noMatch = "AuthorizationPolicy allow";
const deny = "AuthorizationPolicy deny rule 0";

function denyTo(operation: JsonObject, when: readonly JsonObject[] = []) {
  return policy("deny", {
    action: "DENY",
    rules: [{ to: [{ operation }], ...(when.length > 0 && { when: [...when] }) }],
  });
}

function denyWhen(key: string, values: JsonObject) {
  return policy("deny", { action: "DENY", rules: [{ when: [{ key, ...values }] }] });
}

/** Rules about requests and connections. */
export const operationGroups: readonly Group[] = [
  group(
    "ALLOW by method",
    [policy("allow", { rules: [{ to: [{ operation: { methods: ["GET", "P*"], notMethods: ["PATCH"] } }] }] })],
    [
      row("lets the method pass", {}, 200, allow),
      row("lets a method with the beginning pass", { method: "POST" }, 200, allow),
      row("rejects the exception", { method: "PATCH" }, 403, noMatch),
      row("rejects others", { method: "DELETE" }, 403, noMatch),
    ],
  ),
  group(
    "DENY by path",
    [denyTo({ paths: ["/exact", "/begin/*", "*/end", "/one/{*}/x", "/any/{**}"], notPaths: ["/begin/open"] })],
    [
      row("rejects the path", { path: "/exact" }, 403, deny),
      row("rejects the path with a query", { path: "/exact?a=b" }, 403, deny),
      row("rejects the beginning", { path: "/begin/a/b" }, 403, deny),
      row("lets the exception pass", { path: "/begin/open" }, 200),
      row("lets a path without the slash pass", { path: "/begin" }, 200),
      row("rejects the end", { path: "/a/end" }, 403, deny),
      row("rejects one segment of a template", { path: "/one/a/x" }, 403, deny),
      row("lets two segments instead of one pass", { path: "/one/a/b/x" }, 200),
      row("rejects any segments of a template", { path: "/any/a/b/c" }, 403, deny),
      row("lets other paths pass", { path: "/other" }, 200),
    ],
  ),
  group(
    "ALLOW by host",
    [policy("allow", { rules: [{ to: [{ operation: { hosts: ["shop.example.com", "*.example.org", "api.*"] } }] }] })],
    [
      row("lets the host pass", { host: "shop.example.com" }, 200, allow),
      row("lets a subdomain pass", { host: "a.b.example.org" }, 200, allow),
      row("lets the beginning pass, with any port", { host: "api.example.net:8443" }, 200, allow),
      row("rejects the host with a port", { host: "shop.example.com:8080" }, 403, noMatch),
      row("rejects the domain of the subdomains", { host: "example.org" }, 403, noMatch),
    ],
  ),
  group(
    "DENY by port of HTTP",
    [denyTo({ ports: ["8080"] })],
    [
      row("rejects requests", {}, 403, deny),
      row("lets connections to another port pass", { protocol: "tcp" }, "answered"),
    ],
  ),
  group(
    "DENY by port of TCP",
    [denyTo({ ports: ["9000"], methods: ["DELETE"] })],
    [
      row("lets requests to another port pass", { method: "DELETE" }, 200),
      row("closes connections, which have no method", { protocol: "tcp" }, "closed", deny),
    ],
  ),
  group(
    "DENY of all ports but one",
    [denyTo({ notPorts: ["8080"] })],
    [row("lets requests pass", {}, 200), row("closes connections", { protocol: "tcp" }, "closed", deny)],
  ),
  group(
    "DENY by SNI",
    [denyWhen("connection.sni", { values: ["*.blocked.example"] })],
    [
      row("rejects the name", { as: "client/web", tls: { sni: "a.blocked.example" } }, 403, deny),
      row("lets other names pass", { as: "client/web", tls: { sni: "a.open.example" } }, 200),
      row(
        "closes connections",
        { protocol: "tcp", as: "client/web", tls: { sni: "a.blocked.example" } },
        "closed",
        deny,
      ),
      row("lets plaintext pass, which has no name", {}, 200),
    ],
  ),
  group(
    "DENY by header pattern",
    [denyWhen("request.headers[x-kind]", { values: ["bad", "evil-*", "*-worse"], notValues: ["evil-but-known"] })],
    [
      row("rejects the value", { headers: { "x-kind": "bad" } }, 403, deny),
      row("rejects the beginning", { headers: { "x-kind": "evil-1" } }, 403, deny),
      row("rejects the end", { headers: { "x-kind": "even-worse" } }, 403, deny),
      row("lets the exception pass", { headers: { "x-kind": "evil-but-known" } }, 200),
      row("lets others pass", { headers: { "x-kind": "good" } }, 200),
    ],
  ),
];
