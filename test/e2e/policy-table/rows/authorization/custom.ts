import { type Call, type Group, group, policy, row } from "../../row.ts";

const ask = "AuthorizationPolicy ask rule 0";

function asking(provider: string, name = "ask") {
  return policy(name, {
    action: "CUSTOM",
    provider: { name: provider },
    rules: [{ to: [{ operation: { paths: ["/ask", "/ask/*"], ports: ["8080"] } }] }],
  });
}

const allowed: Call = { path: "/ask", headers: { "x-ask": "allow" }, told: { extAuthz: "allow" } };
const denied: Call = { path: "/ask", told: { extAuthz: "deny" } };

/** Policies that ask a service. */
export const customGroups: readonly Group[] = [
  group(
    "CUSTOM over HTTP",
    [asking("ask-http")],
    [
      row("lets a request pass that the service allows, with its headers", allowed, 200, ask, {
        received: { "x-user": "mesh" },
      }),
      row("rejects a request that the service denies", denied, 403, ask, { answer: "denied by the authorizer" }),
      row("does not ask about other requests", { path: "/other" }, 200),
      row("does not ask about connections", { protocol: "tcp" }, "answered"),
    ],
  ),
  group(
    "CUSTOM over gRPC",
    [asking("ask-grpc")],
    [
      row("lets a request pass that the service allows, with its headers", allowed, 200, ask, {
        received: { "x-user": "grpc" },
      }),
      row("rejects a request that the service denies", denied, 403, ask, { answer: "denied by the authorizer" }),
      row("does not ask about other requests", { path: "/other" }, 200),
    ],
  ),
  group(
    "CUSTOM of connections",
    [
      policy("ask", {
        action: "CUSTOM",
        provider: { name: "ask-grpc" },
        rules: [{ to: [{ operation: { ports: ["9000"] } }] }],
      }),
    ],
    [
      row(
        "lets a connection pass that the service allows",
        { protocol: "tcp", from: "127.0.7.1", told: { extAuthz: "allow" } },
        "answered",
        ask,
      ),
      row(
        "closes a connection that the service denies",
        { protocol: "tcp", told: { extAuthz: "deny" } },
        "closed",
        ask,
      ),
      row("does not ask about requests to another port", {}, 200),
    ],
  ),
  group(
    "CUSTOM with a service that fails",
    [asking("ask-failing")],
    [row("rejects", denied, 403, ask), row("does not ask about other requests", { path: "/other" }, 200)],
  ),
  group(
    "CUSTOM with a service that fails open",
    [asking("ask-failing-open")],
    [row("lets requests pass", { path: "/ask", told: { extAuthz: "allow" } }, 200, ask)],
  ),
  group(
    "CUSTOM with an unknown service",
    [asking("ask-nobody")],
    [row("rejects", { path: "/ask" }, 403, ask), row("lets other requests pass", { path: "/other" }, 200)],
  ),
  group(
    "CUSTOM with an unknown provider",
    [asking("ask-gone")],
    [row("rejects", { path: "/ask" }, 403, ask), row("lets other requests pass", { path: "/other" }, 200)],
  ),
  group(
    "CUSTOM with two providers",
    [asking("ask-http"), asking("ask-grpc", "other")],
    [row("rejects, because a workload can ask one only", { path: "/ask", headers: { "x-ask": "allow" } }, 403, ask)],
  ),
  group(
    "CUSTOM before DENY",
    [
      asking("ask-http"),
      policy("deny", { action: "DENY", rules: [{ to: [{ operation: { paths: ["/ask/denied"] } }] }] }),
    ],
    [
      row(
        "rejects by DENY what the service allows",
        { ...allowed, path: "/ask/denied" },
        403,
        "AuthorizationPolicy deny rule 0",
      ),
      row("lets other requests pass that the service allows", allowed, 200, ask),
    ],
  ),
];
