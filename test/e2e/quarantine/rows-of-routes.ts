import type { Edge } from "./edge.ts";
import type { MakeRow, Row } from "./row.ts";
import { documents, gatewayObject, route, type Setting } from "./tenant-mesh.ts";

/** No regular expression of RE2. */
const unreadable = { regex: "/(" };

const throughout = { validation: "unvalidated", refusing: "current", begins: "good" } as const;

function victimAt(count: number): number {
  return Math.floor(count / 3);
}

/** The VirtualService of a tenant gets a match that Envoy cannot read. */
export const virtualService = ({ count }: Setting): Row => {
  const victim = victimAt(count);
  return {
    ...throughout,
    refused: [`VirtualService/tenant-${victim % 20}/host-${victim}: earlier version`],
    files: {
      good: { "victim.yaml": route(victim, "accepted") },
      poisoned: { "victim.yaml": route(victim, "poisoned", unreadable) },
      mended: { "victim.yaml": route(victim, "mended") },
    },
    victims: [victim],
    effect: (edge) => edge.versionOf(victim),
    effects: { good: "accepted", poisoned: "accepted", mended: "mended" },
  };
};

/** The same before the first gateway connects: nobody knows which of all objects it is. */
export const virtualServiceFromTheStart: MakeRow = (setting) => {
  const row = virtualService(setting);
  return {
    ...row,
    begins: "poisoned",
    refused: row.refused.map((refused) => refused.replace("earlier version", "nothing")),
    effects: { ...row.effects, poisoned: "404" },
  };
};

/** An EnvoyFilter of the gateways. The kind has no later version. */
function filterObject(name: string, patch: object): string {
  return gatewayObject("EnvoyFilter", name, { configPatches: [patch] }).replace("io/v1", "io/v1alpha3");
}

/** A script in front of every host. */
function script(code: string): string {
  const value = {
    name: "envoy.filters.http.lua",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
      default_source_code: { inline_string: code },
    },
  };
  const manager = { name: "envoy.filters.network.http_connection_manager" };
  const match = { context: "GATEWAY", listener: { filterChain: { filter: manager } } };
  return filterObject("script", { applyTo: "HTTP_FILTER", match, patch: { operation: "INSERT_BEFORE", value } });
}

/** A header in the answers of every host. */
function answerHeader(key: string, value: string): string {
  const patch = { operation: "MERGE", value: { response_headers_to_add: [{ header: { key, value } }] } };
  return filterObject("header", { applyTo: "ROUTE_CONFIGURATION", match: { context: "GATEWAY" }, patch });
}

/** A header with a command that Envoy does not know, in all routes. Nobody but Envoy reads commands. */
const poisonedHeader = answerHeader("x-filter", "%NO_SUCH_COMMAND%");

/** An EnvoyFilter for all routes of a gateway. A fresh gateway that gets it has no route at all. */
export const routeFilter: MakeRow = () => ({
  ...throughout,
  validation: "serve",
  refused: ["EnvoyFilter/istio-system/header: earlier version"],
  files: {
    good: { "victim.yaml": answerHeader("x-filter", "accepted") },
    poisoned: { "victim.yaml": poisonedHeader },
    mended: { "victim.yaml": answerHeader("x-filter", "mended") },
  },
  victims: [],
  effect: (edge) => edge.headerOf(0, "x-filter"),
  effects: { good: "accepted", poisoned: "accepted", mended: "mended" },
});

const mendedScript = `function envoy_on_response(handle) handle:headers():replace("x-script", "mended") end`;
const scriptEffect = (edge: Edge) => edge.headerOf(0, "x-script");

/** An EnvoyFilter with a script that cannot be compiled. Validation does not read scripts. */
export const envoyFilter: MakeRow = () => ({
  ...throughout,
  validation: "serve",
  refused: ["EnvoyFilter/istio-system/script: nothing"],
  files: {
    good: { "victim.yaml": "" },
    poisoned: { "victim.yaml": script("function (") },
    mended: { "victim.yaml": script(mendedScript) },
  },
  victims: [],
  effect: scriptEffect,
  effects: { good: "none", poisoned: "none", mended: "mended" },
});

/** Two VirtualServices of two tenants and the EnvoyFilter, in one edit. */
export const threeAtOnce: MakeRow = (setting): Row => {
  const victims = [victimAt(setting.count), victimAt(setting.count) + 1];
  const files = (version: string, code: string, match?: object) => ({
    "victim.yaml": documents([
      ...victims.map((index) => route(index, version, match)),
      ...(code ? [script(code)] : []),
    ]),
  });
  return {
    ...throughout,
    refused: [
      "EnvoyFilter/istio-system/script: nothing",
      ...victims.map((index) => `VirtualService/tenant-${index % 20}/host-${index}: earlier version`),
    ],
    files: {
      good: files("accepted", ""),
      poisoned: files("poisoned", "function (", unreadable),
      mended: files("mended", mendedScript),
    },
    victims,
    effect: async (edge) => {
      const versions = await Promise.all(victims.map((index) => edge.versionOf(index)));
      return [...versions, await scriptEffect(edge)].join(" ");
    },
    effects: { good: "accepted accepted none", poisoned: "accepted accepted none", mended: "mended mended mended" },
  };
};
