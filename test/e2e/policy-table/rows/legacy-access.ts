import type { JsonObject } from "@bufbuild/protobuf";
import { workloadPorts } from "../mesh-files.ts";
import { type Area, type Converted, type Group, group, type MeshObject, type Place, policy, row } from "../row.ts";
import type { TableMesh } from "../row.ts";
import { withoutNormalisation } from "./request-forms.ts";

function legacy(kind: string, name: string, spec: JsonObject): MeshObject {
  return { apiVersion: "rbac.istio.io/v1alpha1", kind, metadata: { name }, spec };
}

const clusterConfig = (spec: JsonObject) => legacy("ClusterRbacConfig", "default", spec);
const role = (...rules: readonly JsonObject[]) => legacy("ServiceRole", "reader", { rules: [...rules] });

function binding(subjects: readonly JsonObject[], more: JsonObject = {}, name = "web"): MeshObject {
  const roleRef = { kind: "ServiceRole", name: "reader" };
  return legacy("ServiceRoleBinding", name, { subjects: [...subjects], roleRef, ...more });
}

/** A binding with rules of its own. */
const action = (name: string, rule: JsonObject, subject: JsonObject) =>
  legacy("ServiceRoleBinding", name, { subjects: [subject], actions: [rule] });

const everybody = binding([{ user: "*" }]);
const everything = role({ services: ["*"] });

/** A Service with the endpoint of the workload, at one of its ports. */
function service(name: string, { address, app }: Place, port: keyof typeof workloadPorts = "http"): MeshObject[] {
  const number = workloadPorts[port];
  const ports = [{ name: port, port: number }];
  const spec = { clusterIP: "None", selector: { app }, ports: [{ ...ports[0], targetPort: number }] };
  const subsets = [{ addresses: [{ ip: address }], ports }] as unknown as JsonObject;
  return [
    { apiVersion: "v1", kind: "Service", metadata: { name }, spec },
    { apiVersion: "v1", kind: "Endpoints", metadata: { name }, subsets } as unknown as MeshObject,
  ];
}

const granted = (rule = 0, subject = 0, name = "web"): Converted => ({
  name: `AuthorizationPolicy legacy-servicerolebinding-${name}-${rule} rule ${subject}`,
  at: `ServiceRoleBinding ${name}`,
});
const bound = (rule = 0, name = "web"): Converted => ({
  name: `AuthorizationPolicy legacy-servicerolebinding-${name}-${rule}`,
  at: `ServiceRoleBinding ${name}`,
});
const switched = (of: () => Group, namespace = "", suffix = ""): Converted => ({
  name: `AuthorizationPolicy ${namespace}legacy-clusterrbacconfig-default${suffix}`,
  at: "ClusterRbacConfig default",
  of,
});

/** The namespaces of the groups below. The others of the mesh stay open. */
const included = [
  "legacy-access-without-roles",
  "legacy-roles-by-operation",
  "legacy-roles-by-service",
  "legacy-roles-by-constraint",
  "legacy-subjects",
  "a-permissive-legacy-binding",
  "legacy-roles-beside-an-own-policy",
];
const inclusion = { namespaces: included, services: ["carts.legacy-access-of-a-service.svc.cluster.local"] };

const withoutRoles: Group = group(
  "Legacy access without roles",
  [clusterConfig({ mode: "ON_WITH_INCLUSION", inclusion })],
  [
    row(
      "denies requests",
      {},
      403,
      switched(() => withoutRoles),
    ),
    row(
      "denies callers of the mesh",
      { as: "client/web" },
      403,
      switched(() => withoutRoles),
    ),
    row(
      "closes connections",
      { protocol: "tcp" },
      "closed",
      switched(() => withoutRoles),
    ),
  ],
);
const on = switched(() => withoutRoles);

const listed: readonly Group[] = [
  group(
    "Legacy access of a service",
    (place) => [...service("carts", place), role({ services: ["carts.*"], methods: ["GET"] }), everybody],
    [
      row("grants what a role says", {}, 200, granted()),
      row("denies the rest", { method: "POST" }, 403, [switched(() => withoutRoles, "", "-services"), bound()]),
      row("is off at other ports", { protocol: "tcp" }, "answered"),
    ],
  ),
  group(
    "Legacy roles by operation",
    [
      role(
        { services: ["*"], methods: ["GET"], paths: ["/exact", "/begin/*"] },
        { services: ["*"], paths: ["*.css"], notMethods: ["DELETE"] },
      ),
      everybody,
    ],
    [
      row("grant the path", { path: "/exact" }, 200, granted()),
      row("grant the beginning of a path", { path: "/begin/a" }, 200, granted()),
      row("grant the end of a path", { path: "/a.css", method: "POST" }, 200, granted(1)),
      row("deny another path", { path: "/" }, 403, [on, bound(), bound(1)]),
      row("deny another method", { path: "/exact", method: "POST" }, 403, [on, bound(), bound(1)]),
      row("deny the excluded method", { path: "/a.css", method: "DELETE" }, 403, [on, bound(), bound(1)]),
      row("close connections, which have no method", { protocol: "tcp" }, "closed", on),
    ],
  ),
  group(
    "Legacy roles by service",
    (place) => [
      ...service("carts", place),
      ...service("carts-db", place, "tcp"),
      role(
        { services: ["carts.*"], paths: ["/carts"] },
        { services: ["*-db.legacy-roles-by-service.svc.cluster.local"] },
        { services: ["other.*"], paths: ["/other"] },
      ),
      everybody,
    ],
    [
      row("grant access by the beginning of the name", { path: "/carts" }, 200, granted()),
      row("grant access by the end of the name", { protocol: "tcp" }, "answered", granted(1)),
      row("grant nothing at a port of another service", { path: "/" }, 403, [on, bound()]),
      row("grant nothing for a service that is missing", { path: "/other" }, 403, [on, bound()]),
    ],
  ),
  group(
    "Legacy roles by constraint",
    [
      role(
        {
          services: ["*"],
          paths: ["/header"],
          constraints: [{ key: "request.headers[x-version]", values: ["v1", "v2*"] }],
        },
        { services: ["*"], paths: ["/port"], constraints: [{ key: "destination.port", values: ["8080"] }] },
        { services: ["*"], paths: ["/user"], constraints: [{ key: "destination.user", values: ["*"] }] },
      ),
      action(
        "labels",
        {
          paths: ["/label"],
          constraints: [{ key: "destination.labels[app]", values: ["legacy-roles-by-constraint"] }],
        },
        { user: "*" },
      ),
      action(
        "others",
        { paths: ["/no"], constraints: [{ key: "destination.labels[app]", values: ["other"] }] },
        { user: "*" },
      ),
      everybody,
    ],
    [
      row("grant requests with the header", { path: "/header", headers: { "x-version": "v2.1" } }, 200, granted()),
      row("grant requests to the port", { path: "/port" }, 200, granted(1)),
      row("grant requests to workloads with the label", { path: "/label" }, 200, {
        name: "AuthorizationPolicy legacy-servicerolebinding-labels-0-labels-0 rule 0",
        at: "ServiceRoleBinding labels",
      }),
      ...["/header", "/user", "/no"].map((path) =>
        row(`deny ${path}`, { path }, 403, [
          on,
          { name: "AuthorizationPolicy legacy-servicerolebinding-labels-0-labels-0", at: "ServiceRoleBinding labels" },
          bound(),
          bound(1),
        ]),
      ),
    ],
  ),
  group(
    "Legacy subjects",
    [
      action("any", { paths: ["/any"] }, { properties: { "source.principal": "*" } }),
      action("custom", { paths: ["/custom"] }, { properties: { "source.other": "a" } }),
      action("header", { paths: ["/header"] }, { properties: { "request.headers[x-a]": "a*" } }),
      action("ip", { paths: ["/ip"] }, { ips: ["127.0.0.0/8"], notIps: ["127.0.0.9"] }),
      action("namespace", { paths: ["/namespace"] }, { properties: { "source.namespace": "client" } }),
      action("not", { paths: ["/not"] }, { notNames: ["cluster.local/ns/client/sa/web"] }),
      action("user", { paths: ["/user"] }, { user: "cluster.local/ns/client/sa/web" }),
    ],
    [
      row("get access by user", { path: "/user", as: "client/web" }, 200, granted(0, 0, "user")),
      row("get no access as another user", { path: "/user", as: "client/other" }, 403, subjects()),
      row("get access by namespace", { path: "/namespace", as: "client/other" }, 200, granted(0, 0, "namespace")),
      row("get no access from another namespace", { path: "/namespace", as: "other/web" }, 403, subjects()),
      row("get access with any identity", { path: "/any", as: "other/web" }, 200, granted(0, 0, "any")),
      row("get no access without identity", { path: "/any" }, 403, subjects()),
      row("get access by header", { path: "/header", headers: { "x-a": "abc" } }, 200, granted(0, 0, "header")),
      row("get access by address", { path: "/ip" }, 200, granted(0, 0, "ip")),
      row("get no access by an excluded address", { path: "/ip", from: "127.0.0.9" }, 403, subjects()),
      row("get access without the excluded name", { path: "/not", as: "client/other" }, 200, granted(0, 0, "not")),
      row("get no access with the excluded name", { path: "/not", as: "client/web" }, 403, subjects()),
      row("get nothing by an unknown property", { path: "/custom", as: "client/web" }, 403, subjects()),
    ],
  ),
  group(
    "A permissive legacy binding",
    [everything, binding([{ user: "*" }], { mode: "PERMISSIVE" })],
    [row("grants nothing", {}, 403, on), row("opens no connection", { protocol: "tcp" }, "closed", on)],
  ),
  group(
    "Legacy roles beside an own policy",
    [everything, everybody, policy("own", { rules: [{ to: [{ operation: { paths: ["/own"] } }] }] })],
    [
      row("leave the decision to it", { path: "/own" }, 200, "AuthorizationPolicy own rule 0"),
      row("grant nothing", {}, 403, "AuthorizationPolicy own"),
    ],
  ),
];

/** Every policy of the legacy subjects. */
function subjects(): readonly Converted[] {
  return [on, ...["any", "header", "ip", "namespace", "not", "user"].map((name) => bound(0, name))];
}

const onMesh: TableMesh = { name: "legacy-on", config: {} };
const onEverywhere: Group = group(
  "Legacy access that is on",
  [clusterConfig({ mode: "ON" })],
  [
    row(
      "denies requests",
      {},
      403,
      switched(() => onEverywhere, "istio-system/"),
    ),
  ],
  { mesh: onMesh },
);
const exclusionMesh: TableMesh = { name: "legacy-exclusion", config: {} };
const exclusion = {
  namespaces: ["an-excluded-namespace"],
  services: ["carts.an-excluded-service.svc.cluster.local"],
};
const notExcluded: Group = group(
  "Legacy access with exclusions",
  [clusterConfig({ mode: "ON_WITH_EXCLUSION", exclusion })],
  [
    row(
      "denies requests",
      {},
      403,
      switched(() => notExcluded, "istio-system/"),
    ),
  ],
  { mesh: exclusionMesh },
);

const others: readonly Group[] = [
  group(
    "Legacy access at a router",
    (place) => [...service("carts", place), role({ services: ["carts.*"], methods: ["GET"] }), everybody],
    [
      row("grants what a role says", {}, 200, granted()),
      row("denies the rest", { method: "POST" }, 403, [switched(() => onEverywhere, "istio-system/"), bound()]),
    ],
    { mesh: onMesh, at: "router" },
  ),
  group(
    "An excluded namespace",
    [],
    [
      row("is open", {}, 200, {
        ...switched(() => notExcluded),
        name: "AuthorizationPolicy legacy-clusterrbacconfig-default rule 0",
      }),
    ],
    {
      mesh: exclusionMesh,
    },
  ),
  group(
    "An excluded service",
    (place) => service("carts", place),
    [
      row("is open", {}, 200, {
        ...switched(() => notExcluded),
        name: "AuthorizationPolicy legacy-clusterrbacconfig-default-services rule 0",
      }),
      row(
        "is closed at other ports",
        { protocol: "tcp" },
        "closed",
        switched(() => notExcluded, "istio-system/"),
      ),
    ],
    { mesh: exclusionMesh },
  ),
  group(
    "Legacy access that is off",
    [
      clusterConfig({ mode: "OFF" }),
      legacy("RbacConfig", "default", { mode: "ON" }),
      role({ methods: ["PUT"] }),
      everybody,
    ],
    [row("denies nothing", {}, 200), row("closes nothing", { protocol: "tcp" }, "answered")],
    { mesh: withoutNormalisation },
  ),
];

/** Role-based access control of Istio before 1.6, as it is converted. */
export const legacyAccess: Area = { groups: [withoutRoles, ...listed, onEverywhere, notExcluded, ...others] };
