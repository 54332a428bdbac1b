import type { ConfigId } from "../../../config/config.ts";
import type { WorkloadPolicy } from "./workload-policy.ts";

/** A WasmPlugin or TrafficExtension: a filter from outside that proxies load. */
export interface Extension extends WorkloadPolicy {
  /** Of the filter in listeners, and of its configuration in ECDS. */
  readonly resourceName: string;
  readonly phase: ExtensionPhase;
  /** The highest comes first within a phase. Extensions without one come last. */
  readonly priority: number | undefined;
  /** The traffic that passes the filter; empty for all traffic of the workload. */
  readonly match: readonly TrafficSelector[];
  readonly filter: WasmModule | LuaScript;
}

/** The place of the filter: before authentication, before authorization, or after both. */
export type ExtensionPhase = "authn" | "authz" | "stats" | "unspecified";

/** Some of a workload's traffic. */
export interface TrafficSelector {
  /** Client traffic leaves the workload, or passes a gateway; server traffic arrives at it. */
  readonly mode: "client" | "server" | "any";
  /** Empty for all ports. */
  readonly ports: readonly number[];
}

/** A Wasm module, and how proxies run it. */
export interface WasmModule {
  readonly type: "wasm";
  /** Whether the filter handles requests or connections. */
  readonly layer: "http" | "network";
  readonly code: ModuleCode;
  readonly pull: ModulePull;
  /** The configuration of the plugin as a JSON text; undefined without one. */
  readonly configuration: string | undefined;
  /** Selects one of the plugins in the module; "" for the only one. */
  readonly rootId: string;
  readonly failStrategy: "close" | "open" | "reload";
  readonly environment: Readonly<Record<string, string>>;
  /** Variables that the module takes over from the proxy's environment. */
  readonly hostVariables: readonly string[];
}

/** The place of a module: a file beside the proxy, or a URL. This server never opens either. */
export type ModuleCode =
  | { readonly type: "file"; readonly path: string }
  | {
      readonly type: "remote";
      /** With a scheme: oci, https or http. The agent of the proxy fetches it. */
      readonly url: string;
      /** "" when any content is accepted. */
      readonly sha256: string;
    };

/** How the agent fetches the module. */
export interface ModulePull {
  readonly policy: "IfNotPresent" | "Always" | undefined;
  /** The Secret with the credentials for the registry, in the namespace of the extension. */
  readonly secret: ConfigId | undefined;
  /** Changes with the object where the policy is "Always", so that the agent fetches the module again; else "". */
  readonly version: string;
}

/** A Lua script that is part of the listener. */
export interface LuaScript {
  readonly type: "lua";
  readonly code: string;
}
