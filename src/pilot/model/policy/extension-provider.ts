import type { ExtAuthzProvider } from "./ext-authz-provider.ts";

/** A service outside of the proxies, or a file, that policies name: for authorization, access logs, traces, metrics. */
export type ExtensionProvider = ExtAuthzProvider | UnusedProvider;

/** A provider that no listener uses. */
interface UnusedProvider {
  readonly type: "unused";
  readonly name: string;
  /** The cluster of its service; undefined if it has none, or if the service is unknown or ambiguous. */
  readonly cluster: string | undefined;
}
