import { type Group, group, policy, row } from "../../row.ts";

const byPath = (path: string) => [{ to: [{ operation: { paths: [path] } }] }];

/** How policies work together, and where they apply. */
export const policyGroups: readonly Group[] = [
  group(
    "ALLOW of nothing",
    [policy("nothing", {})],
    [
      row("rejects requests", {}, 403, "AuthorizationPolicy nothing"),
      row("closes connections", { protocol: "tcp" }, "closed", "AuthorizationPolicy nothing"),
    ],
  ),
  group(
    "ALLOW of everything",
    [policy("all", { rules: [{}] })],
    [
      row("lets requests pass", {}, 200, "AuthorizationPolicy all rule 0"),
      row("lets connections pass", { protocol: "tcp" }, "answered", "AuthorizationPolicy all rule 0"),
    ],
  ),
  group(
    "DENY before ALLOW",
    [policy("allow", { rules: byPath("/shop/*") }), policy("deny", { action: "DENY", rules: byPath("/shop/admin") })],
    [
      row("lets allowed paths pass", { path: "/shop/a" }, 200, "AuthorizationPolicy allow rule 0"),
      row("rejects a denied path", { path: "/shop/admin" }, 403, "AuthorizationPolicy deny rule 0"),
      row("rejects paths that are not allowed", { path: "/" }, 403, "AuthorizationPolicy allow"),
    ],
  ),
  group(
    "ALLOW by two policies",
    [policy("first", { rules: byPath("/a") }), policy("second", { rules: [...byPath("/b"), ...byPath("/c")] })],
    [
      row("lets a path of the first pass", { path: "/a" }, 200, "AuthorizationPolicy first rule 0"),
      row("lets a path of the second pass", { path: "/c" }, 200, "AuthorizationPolicy second rule 1"),
      row("rejects others", { path: "/d" }, 403, ["AuthorizationPolicy first", "AuthorizationPolicy second"]),
    ],
  ),
  group(
    "ALLOW by HTTP fields alone",
    [policy("allow", { rules: byPath("/a") })],
    [
      row("lets the path pass", { path: "/a" }, 200, "AuthorizationPolicy allow rule 0"),
      row("closes connections, which have no path", { protocol: "tcp" }, "closed", "AuthorizationPolicy allow"),
    ],
  ),
  group(
    "A dry run",
    [policy("trial", { action: "DENY", rules: [{}] }, { annotations: { "istio.io/dry-run": "true" } })],
    [row("rejects nothing", {}, 200), row("closes nothing", { protocol: "tcp" }, "answered")],
  ),
  group("AUDIT", [policy("audit", { action: "AUDIT", rules: [{}] })], [row("rejects nothing", {}, 200)]),
  group(
    "A policy of other workloads",
    [policy("deny", { selector: { matchLabels: { app: "other" } }, action: "DENY", rules: [{}] })],
    [row("does not apply", {}, 200)],
  ),
  group(
    "A policy of this workload",
    [policy("deny", { selector: { matchLabels: { app: "a-policy-of-this-workload" } }, action: "DENY", rules: [{}] })],
    [row("applies", {}, 403, "AuthorizationPolicy deny rule 0")],
  ),
  group(
    "A policy of the root namespace",
    [
      policy(
        "mesh-wide",
        {
          // Selects workloads of every namespace. Without the selector it would apply to all other groups as well.
          selector: { matchLabels: { app: "a-policy-of-the-root-namespace" } },
          action: "DENY",
          rules: [
            {
              when: [
                { key: "request.headers[x-mesh-wide]", values: ["yes"] },
                { key: "destination.port", values: ["8080"] },
              ],
            },
          ],
        },
        { namespace: "istio-system" },
      ),
    ],
    [
      row(
        "applies in every namespace",
        { headers: { "x-mesh-wide": "yes" } },
        403,
        "AuthorizationPolicy istio-system/mesh-wide rule 0",
      ),
      row("lets others pass", {}, 200),
    ],
  ),
];
