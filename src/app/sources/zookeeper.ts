import { defaultRetention } from "../../galley/source/registry/registry-state.ts";
import type { Source } from "../../galley/source/source.ts";
import { clientSessions } from "../../galley/source/zookeeper/client/client-session.ts";
import type { TlsFiles } from "../../galley/source/zookeeper/client/dial.ts";
import { curatorLayout } from "../../galley/source/zookeeper/curator/curator-layout.ts";
import { dubboLayout } from "../../galley/source/zookeeper/dubbo/dubbo-layout.ts";
import type { Naming } from "../../galley/source/zookeeper/dubbo/service-key.ts";
import type { Layout } from "../../galley/source/zookeeper/layout.ts";
import { createZooKeeperSource } from "../../galley/source/zookeeper/zookeeper-source.ts";
import { count, durationMs, oneOf, onOff, periodMs, singleText, texts } from "../options/option-values.ts";
import { type LoginQuery, loginFrom, loginQuery } from "./login.ts";
import type { SourceTools } from "./make-source.ts";
import { type RegistryQuery, registryQuery, registrySettings } from "./registry-settings.ts";
import { badSource, type QueryTypes, readQuery, requireTogether, type SourceUrl } from "./source-url.ts";

/** Query settings of a `zookeeper:` URL. */
interface ZooKeeperQuery extends RegistryQuery, LoginQuery {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly "server-name": string;
  readonly layout: "dubbo" | "curator";
  readonly mode: "watching" | "polling";
  readonly recursive: boolean;
  readonly refresh: number;
  readonly debounce: number;
  readonly parallel: number;
  readonly "session-timeout": number;
  readonly naming: Naming;
  readonly namespace: string;
  readonly "host-suffix": string;
  readonly protocol: string;
  readonly port: number;
  readonly "instance-port": boolean;
  readonly "ignore-labels": readonly string[];
  readonly schemes: readonly string[];
}

const zooKeeperQuery: QueryTypes<ZooKeeperQuery> = {
  ca: singleText("FILE"),
  cert: singleText("FILE"),
  key: singleText("FILE"),
  "server-name": singleText("NAME"),
  layout: oneOf(["dubbo", "curator"]),
  mode: oneOf(["watching", "polling"]),
  recursive: onOff,
  refresh: periodMs,
  debounce: durationMs,
  parallel: count,
  "session-timeout": periodMs,
  naming: oneOf(["dns", "key"]),
  namespace: singleText("NAMESPACE"),
  "host-suffix": singleText("SUFFIX"),
  protocol: singleText("PROTOCOL"),
  port: count,
  "instance-port": onOff,
  "ignore-labels": texts("KEY"),
  schemes: texts("SCHEME"),
  ...registryQuery,
  ...loginQuery,
};

type Query = Partial<ZooKeeperQuery>;

const usualPorts = { zookeeper: 2181, zookeepers: 2281 } as const;
const pollMs = 10_000;
/** A moved provider registers and leaves within milliseconds. One update covers both, and all that happens beside it. */
const usualDebounceMs = 10;
/** A watch of the whole tree does not report nodes that the login may not read. These reads find them. */
const recursiveRefreshMs = 300_000;

/** `zookeeper://HOST:PORT[,HOST:PORT]/ROOT?…`: a registry of services in ZooKeeper; with TLS, `zookeepers:`. */
export function zooKeeperSource(url: SourceUrl, { clock }: Pick<SourceTools, "clock">): Source {
  const query = readQuery(url, zooKeeperQuery);
  const { layout = "dubbo", mode = "watching", parallel = 10, "session-timeout": sessionTimeoutMs = 30_000 } = query;
  const { recursive = true } = query;
  const { addresses, root } = placeOf(url, layout);
  if (parallel === 0) throw badSource(url.name, "parallel= must be at least 1");
  if (query["instance-port"] === false && !query.port) {
    throw badSource(url.name, "instance-port=off needs port=");
  }
  return createZooKeeperSource({
    ...defaultRetention,
    ...registrySettings(query),
    name: url.name,
    clock,
    open: clientSessions({ addresses, clock, sessionTimeoutMs, tls: tlsFrom(url, query), ...loginFrom(url, query) }),
    addresses: addresses.length,
    sessionTimeoutMs,
    root,
    layout: layouts[layout](query),
    mode,
    recursive,
    refreshMs: query.refresh ?? (mode === "polling" ? pollMs : recursive ? recursiveRefreshMs : 0),
    debounceMs: query.debounce ?? usualDebounceMs,
    parallel,
  });
}

const layouts: Readonly<Record<ZooKeeperQuery["layout"], (query: Query) => Layout>> = {
  dubbo: (query) =>
    dubboLayout({
      ...namesAndPorts(query, { namespace: "dubbo", protocol: "DUBBO" }),
      naming: query.naming ?? "dns",
      ignoredLabels: query["ignore-labels"] ?? ["pid", "timestamp", "dubbo"],
      schemes: query.schemes ?? ["dubbo"],
    }),
  curator: (query) =>
    curatorLayout({
      ...namesAndPorts(query, { namespace: "services", protocol: "HTTP" }),
      ignoredLabels: query["ignore-labels"] ?? [],
    }),
};

function namesAndPorts(query: Query, usual: { readonly namespace: string; readonly protocol: string }) {
  const { namespace = usual.namespace, protocol = usual.protocol, port = 0 } = query;
  const { "host-suffix": hostSuffix = "", "instance-port": instancePort = true } = query;
  return { namespace, hostSuffix, protocol, port, instancePort };
}

/** The TLS files of a `zookeepers:` URL. Throws `bad-option`. */
function tlsFrom(url: SourceUrl, query: Query): TlsFiles | undefined {
  const { ca, cert, key, "server-name": serverName } = query;
  requireTogether(url, ["cert", "key"]);
  if (url.scheme === "zookeepers") return { ca, cert, key, serverName };
  if ((ca ?? cert ?? serverName) !== undefined)
    throw badSource(url.name, "ca=, cert=, key= and server-name= need zookeepers:");
  return undefined;
}

/** The servers, and the root node of the registry. */
function placeOf({ name, scheme, rest }: SourceUrl, layout: ZooKeeperQuery["layout"]) {
  const { hosts = "", path = "" } = /^\/\/(?<hosts>[^/]+)(?<path>\/.*)?$/u.exec(rest)?.groups ?? {};
  const usualPort = scheme === "zookeepers" ? usualPorts.zookeepers : usualPorts.zookeeper;
  const addresses = hosts.split(",").map((host) => (host.includes(":") ? host : `${host}:${usualPort}`));
  const isGood = addresses.every((address) => /^[-\w.]+:\d{1,5}$/u.test(address));
  if (!isGood) throw badSource(name, `expected ${scheme}://HOST:PORT[,HOST:PORT]/ROOT, with names or IPv4 addresses`);
  const root = path.replace(/\/+$/u, "") || (layout === "dubbo" ? "/dubbo" : "/services");
  if (/\/\.{0,2}(?:\/|$)/u.test(root)) throw badSource(name, `${root} is not a valid path of a node`);
  return { addresses, root };
}
