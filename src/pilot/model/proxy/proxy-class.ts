import { canonicalKey } from "../../../lib/canonical-key.ts";
import { hashText } from "../../../lib/hash.ts";
import { oncePer } from "../../../lib/memo.ts";
import { isProxyless, type Proxy } from "./proxy.ts";

/** Proxies that judge the same resource alike: equal role, version and extensions. */
export interface ProxyClass {
  /** Equal for equal classes, and for no others. */
  readonly id: string;
  /** For people: `router 1.40.0`. Classes that differ only in their extensions have different suffixes. */
  readonly name: string;
}

/** The class of a proxy. A proxy object describes one stream, so each is read once. */
export const proxyClassOf = oncePer((proxy: Proxy): ProxyClass => {
  const { type, build, metadata, extensions } = proxy;
  const role = isProxyless(proxy) ? "proxyless" : type;
  const { ISTIO_VERSION: istio } = metadata;
  const version = typeof istio === "string" ? istio : "";
  const id = canonicalKey({ role, build, version, extensions: [...extensions].toSorted() });
  const said = [role, build, ...(version === "" ? [] : [`Istio ${version}`])].filter((word) => word !== "");
  return { id: hashText(id), name: `${said.join(" ")} (${hashText(id).slice(0, 6)})` };
});
