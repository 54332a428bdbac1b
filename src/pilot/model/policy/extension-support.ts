import type { FilterCapabilities } from "../proxy/capabilities.ts";
import type { Extension, WasmModule } from "./extension.ts";

/** The facts of a proxy that decide whether it can run an extension. */
export interface ExtensionClient extends RunCapabilities {
  /** The proxy has an agent that fetches modules. An Envoy alone only loads modules from files. */
  readonly fetches: boolean;
}

type RunCapabilities = Pick<FilterCapabilities, "httpWasm" | "networkWasm" | "lua">;

/** Whether the filter handles requests or connections. Scripts handle requests. */
export function layerOf({ filter }: Extension): WasmModule["layer"] {
  return filter.type === "lua" ? "http" : filter.layer;
}

/** Whether the proxy contains the filter that runs the extension. */
export function canRun({ filter }: Extension, capabilities: RunCapabilities): boolean {
  if (filter.type === "lua") return capabilities.lua;
  return filter.layer === "http" ? capabilities.httpWasm : capabilities.networkWasm;
}

/** Whether traffic passes where the extension cannot run. By default it does not: the extension may protect a workload. */
export function failsOpen({ filter }: Extension): boolean {
  return filter.type === "wasm" && filter.failStrategy === "open";
}

/** Whether the proxy can get the module: its agent fetches it, or it is a file. */
export function canLoad({ filter }: Extension, { fetches }: Pick<ExtensionClient, "fetches">): boolean {
  return filter.type === "lua" || fetches || filter.code.type === "file";
}

/**
 * Why the proxy does not run the extension, and the consequence, in words for users; undefined if it runs it. `withheld`
 * says why the proxy does not get the pull secret of the module.
 */
export function extensionProblem(
  extension: Extension,
  client: ExtensionClient,
  withheld: string | undefined,
): string | undefined {
  const cause = causeOf(extension, client) ?? withheld;
  if (cause === undefined) return undefined;
  return `${cause}, so it ${failsOpen(extension) ? "passes all traffic unchecked (FAIL_OPEN)" : "rejects all traffic"}`;
}

function causeOf(extension: Extension, client: ExtensionClient): string | undefined {
  const filter = extension.filter.type === "lua" ? "Lua" : "Wasm";
  if (!canRun(extension, client)) return `the proxy was built without the ${filter} filter`;
  if (!canLoad(extension, client)) return "the proxy has no agent to fetch the module";
  return undefined;
}
