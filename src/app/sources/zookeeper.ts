import { defaultRetention } from "../../galley/source/registry/registry-state.ts";
import type { Source } from "../../galley/source/source.ts";
import { curatorLayout } from "../../galley/source/zookeeper/curator/curator-layout.ts";
import { dubboLayout } from "../../galley/source/zookeeper/dubbo/dubbo-layout.ts";
import type { Naming } from "../../galley/source/zookeeper/dubbo/service-key.ts";
import type { Layout } from "../../galley/source/zookeeper/layout.ts";
import { nodeSessions } from "../../galley/source/zookeeper/node-session.ts";
import { createZooKeeperSource } from "../../galley/source/zookeeper/zookeeper-source.ts";
import { count, durationMs, oneOf, onOff, periodMs, singleText, texts } from "../options/option-values.ts";
import { type LoginQuery, loginFrom, loginQuery } from "./login.ts";
import type { SourceTools } from "./make-source.ts";
import { type RegistryQuery, registryQuery, registrySettings } from "./registry-settings.ts";
import { badSource, type QueryTypes, readQuery, type SourceUrl } from "./source-url.ts";

/** Query settings of a `zookeeper:` URL. */
interface ZooKeeperQuery extends RegistryQuery, LoginQuery {
  readonly layout: "dubbo" | "curator";
  readonly mode: "watching" | "polling";
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
  layout: oneOf(["dubbo", "curator"]),
  mode: oneOf(["watching", "polling"]),
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

const usualPort = 2181;
const pollMs = 10_000;

/** `zookeeper://HOST:PORT[,HOST:PORT]/ROOT?…`: a registry of services in ZooKeeper. */
export function zooKeeperSource(url: SourceUrl, { clock }: Pick<SourceTools, "clock">): Source {
  const query = readQuery(url, zooKeeperQuery);
  const { layout = "dubbo", mode = "watching", parallel = 10, "session-timeout": sessionTimeoutMs = 30_000 } = query;
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
    open: nodeSessions({ addresses, sessionTimeoutMs, ...loginFrom(url, query) }),
    addresses: addresses.length,
    sessionTimeoutMs,
    root,
    layout: layouts[layout](query),
    mode,
    refreshMs: query.refresh ?? (mode === "polling" ? pollMs : 0),
    debounceMs: query.debounce ?? 0,
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

/** The servers, and the root node of the registry. */
function placeOf({ name, rest }: SourceUrl, layout: ZooKeeperQuery["layout"]) {
  const { hosts = "", path = "" } = /^\/\/(?<hosts>[^/]+)(?<path>\/.*)?$/u.exec(rest)?.groups ?? {};
  const addresses = hosts.split(",").map((host) => (host.includes(":") ? host : `${host}:${usualPort}`));
  const isGood = addresses.every((address) => /^[-\w.]+:\d{1,5}$/u.test(address));
  if (!isGood) throw badSource(name, "expected zookeeper://HOST:PORT[,HOST:PORT]/ROOT, with names or IPv4 addresses");
  const root = path.replace(/\/+$/u, "") || (layout === "dubbo" ? "/dubbo" : "/services");
  if (/\/\.{0,2}(?:\/|$)/u.test(root)) throw badSource(name, `${root} is not a valid path of a node`);
  return { addresses, root };
}
