import type { JsonObject } from "@bufbuild/protobuf";
import { type Group, group, object, policy, row } from "../../row.ts";
import { bearer, jwks, token } from "../../tokens.ts";
import { anyHost, byPatch, manager, patch, patches, types } from "./patches.ts";

const rbacName = "envoy.filters.http.rbac";
const jwtName = "envoy.filters.http.jwt_authn";
const authzName = "envoy.filters.http.ext_authz";
const everything = { permissions: [{ any: true }], principals: [{ any: true }] };
const denyAll = { rules: { action: "DENY", policies: { all: everything } } };

/** Settings of the RBAC filter for a route. Without any, the filter enforces nothing there. */
function rbac(settings?: JsonObject): JsonObject {
  return { "@type": `${types}.http.rbac.v3.RBACPerRoute`, ...(settings !== undefined && { rbac: settings }) };
}

function jwt(settings: JsonObject): JsonObject {
  return { "@type": `${types}.http.jwt_authn.v3.PerRouteConfig`, ...settings };
}

/** Switches a filter on or off for a route, whatever it is. */
function switched(settings: JsonObject): JsonObject {
  return { "@type": "type.googleapis.com/envoy.config.route.v3.FilterConfig", ...settings };
}

/** A route to the application, with settings of filters by their names. */
function to(path: string, settings: JsonObject, action: JsonObject = { cluster: "inbound|8080||" }): JsonObject {
  return patch("HTTP_ROUTE", "INSERT_FIRST", anyHost, {
    name: path,
    match: { path },
    route: action,
    typed_per_filter_config: settings,
  });
}

const denyPosts = policy("no-posts", { action: "DENY", rules: [{ to: [{ operation: { methods: ["POST"] } }] }] });
const post = { method: "POST" };

const ofRbac = group(
  "Routes with RBAC settings",
  [
    denyPosts,
    ...patches(
      to("/closed", { [rbacName]: rbac(denyAll) }),
      to("/open", { [rbacName]: rbac() }),
      to("/off", { [rbacName]: switched({ disabled: true }) }),
      to("/wrapped", { [rbacName]: switched({ config: rbac(denyAll) }) }),
      to("/other", { "another.filter": switched({ disabled: true }) }),
      to(
        "/weighted",
        { [rbacName]: rbac(denyAll) },
        {
          weighted_clusters: {
            clusters: [{ name: "inbound|8080||", weight: 1, typed_per_filter_config: { [rbacName]: rbac() } }],
          },
        },
      ),
    ),
  ],
  [
    row("reject by them", { path: "/closed" }, 403, byPatch(0)),
    row("pass by them what the policy denies", { ...post, path: "/open" }, 200, byPatch(1)),
    row("pass what the policy denies if they switch the filter off", { ...post, path: "/off" }, 200, byPatch(2)),
    row("reject by settings inside others", { path: "/wrapped" }, 403, byPatch(3)),
    row(
      "reject by the policy if the settings are of another filter",
      { ...post, path: "/other" },
      403,
      "AuthorizationPolicy no-posts rule 0",
    ),
    row("leave the policy to other routes", post, 403, "AuthorizationPolicy no-posts rule 0"),
    row("follow the settings of their cluster first", { ...post, path: "/weighted" }, 200, byPatch(5)),
  ],
);

const ofHosts = group(
  "Virtual hosts with RBAC settings",
  [
    denyPosts,
    ...patches(
      patch("VIRTUAL_HOST", "MERGE", anyHost, { typed_per_filter_config: { [rbacName]: rbac(denyAll) } }),
      to("/open", { [rbacName]: rbac() }),
      to("/on", { [rbacName]: switched({ config: {} }) }),
      patch(
        "VIRTUAL_HOST",
        "ADD",
        {},
        {
          name: "plain",
          domains: ["plain.example.com"],
          routes: [{ name: "plain", match: { prefix: "/" }, route: { cluster: "inbound|8080||" } }],
        },
      ),
      patch("ROUTE_CONFIGURATION", "MERGE", {}, { typed_per_filter_config: { [rbacName]: rbac() } }),
    ),
  ],
  [
    row("reject by them", {}, 403, byPatch(0)),
    row("have less weight than a route", { ...post, path: "/open" }, 200, byPatch(1)),
    row("count where a route only switches the filter on", { path: "/on" }, 403, byPatch(0)),
    row("have more weight than the whole configuration", { ...post, host: "plain.example.com" }, 200, byPatch(4, 3)),
  ],
);

const ofJwt = group(
  "Routes with JWT settings",
  [
    object("RequestAuthentication", "tokens", { jwtRules: [{ issuer: "shop", jwks: jwks("one") }] }),
    ...patches(
      to("/free", { [jwtName]: jwt({ disabled: true }) }),
      to("/wrong", { [jwtName]: jwt({ requirement_name: "nothing" }) }),
    ),
  ],
  [
    row("accept bad tokens if they switch the filter off", { path: "/free", headers: bearer("bad") }, 200, byPatch(0)),
    row("reject everything by an unknown requirement", { path: "/wrong" }, 403, byPatch(1)),
    row("leave the policy to other routes", { headers: bearer("bad") }, 401, "RequestAuthentication tokens"),
  ],
);

const ofAuthz = group(
  "Routes with settings of external authorization",
  [
    policy("ask", { action: "CUSTOM", provider: { name: "ask-http" }, rules: [{}] }),
    ...patches(
      to("/free", { [authzName]: { "@type": `${types}.http.ext_authz.v3.ExtAuthzPerRoute`, disabled: true } }),
    ),
  ],
  [
    row("do not ask if they switch the filter off", { path: "/free", told: { extAuthz: "deny" } }, 200, byPatch(0)),
    row("leave the policy to other routes", { told: { extAuthz: "deny" } }, 403, "AuthorizationPolicy ask rule 0"),
  ],
);

const switchedOn = group(
  "A disabled filter",
  patches(
    patch(
      "HTTP_FILTER",
      "INSERT_FIRST",
      {
        listener: {
          portNumber: 8080,
          filterChain: { filter: { name: manager, subFilter: { name: "envoy.filters.http.router" } } },
        },
      },
      {
        name: "closing",
        disabled: true,
        typed_config: { "@type": `${types}.http.rbac.v3.RBAC`, ...denyAll },
      },
    ),
    to("/on", { closing: switched({ config: {} }) }),
    to("/own", { closing: rbac(denyAll) }),
  ),
  [
    row("does not run", {}, 200),
    row("runs at a route that switches it on", { path: "/on" }, 403, byPatch(0)),
    row("runs at a route with settings for it", { path: "/own" }, 403, byPatch(2)),
  ],
);

const subject = { iss: "shop", sub: "anna" };

const headersOfTokens = group(
  "Routes by headers from tokens",
  [
    object("RequestAuthentication", "tokens", {
      jwtRules: [{ issuer: "shop", jwks: jwks("one"), outputClaimToHeaders: [{ header: "x-sub", claim: "sub" }] }],
    }),
    ...patches(
      patch("HTTP_ROUTE", "INSERT_FIRST", anyHost, {
        name: "by-sub",
        match: { prefix: "/", headers: [{ name: "x-sub", present_match: true }] },
        direct_response: { status: 418 },
      }),
    ),
  ],
  [
    row("are chosen before the token is read", { headers: bearer(token(subject)) }, 200, [], {
      received: { "x-sub": "anna" },
    }),
    row("are chosen by the header of the client", { headers: { "x-sub": "ben" } }, 418, byPatch(0)),
  ],
);

const claimRoutes = group(
  "Routes by claims with RBAC settings",
  ({ app, address }) => [
    object("RequestAuthentication", "tokens", { jwtRules: [{ issuer: "shop", jwks: jwks("one") }] }),
    policy("no-posts", { action: "DENY", rules: [{ to: [{ operation: { methods: ["POST"] } }] }] }),
    object("Gateway", "edge", {
      selector: { app },
      servers: [{ port: { number: 8080, name: "http", protocol: "HTTP" }, bind: address, hosts: ["*"] }],
    }),
    object("VirtualService", "by-claim", {
      hosts: ["*"],
      gateways: ["edge"],
      http: [
        {
          name: "canary",
          match: [{ headers: { "@request.auth.claims.group": { exact: "canary" } } }],
          directResponse: { status: 201 },
        },
        { name: "rest", directResponse: { status: 202 } },
      ],
    }),
    object("EnvoyFilter", "patches", {
      configPatches: [
        {
          ...patch("HTTP_ROUTE", "MERGE", {}, { typed_per_filter_config: { [rbacName]: rbac(denyAll) } }),
          match: { context: "GATEWAY", routeConfiguration: { vhost: { route: { name: "canary" } } } },
        },
      ],
    }),
  ],
  [
    row(
      "reject by the route that the claim chooses",
      { headers: bearer(token({ ...subject, group: "canary" })) },
      403,
      byPatch(0),
    ),
    row("pass at the route without settings", { headers: bearer(token(subject)) }, 202),
    row(
      "keep the policy at the route without settings",
      { ...post, headers: bearer(token(subject)) },
      403,
      "AuthorizationPolicy no-posts rule 0",
    ),
  ],
  { at: "router", alone: true },
);

/** Settings of filters in routes, which replace the settings of policies. */
export const routeSettingGroups: readonly Group[] = [
  ofRbac,
  ofHosts,
  ofJwt,
  ofAuthz,
  switchedOn,
  headersOfTokens,
  claimRoutes,
];
