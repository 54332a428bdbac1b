import { createFileSource } from "../../galley/source/file/file-source.ts";
import { etcdSource } from "./etcd.ts";
import { eurekaSource } from "./eureka.ts";
import { kubeSource } from "./kube.ts";
import type { MakeSource } from "./make-source.ts";
import { mcpSource } from "./mcp.ts";
import { mcpListenSource } from "./mcp-listen.ts";
import { readQuery } from "./source-url.ts";
import { xdsSource } from "./xds.ts";
import { zooKeeperSource } from "./zookeeper.ts";

/** The sources that `--source` accepts, by the scheme of the URL. */
export const schemes: Readonly<Record<string, MakeSource>> = {
  file(url, { kinds, clock, options: { followLinksOutside }, ledgers }) {
    readQuery(url, {});
    const reading = { followLinksOutside, ...(ledgers && { ledger: ledgers.of(url.name) }) };
    return createFileSource({ directory: url.rest, kinds, clock, ...reading });
  },
  etcd: etcdSource,
  etcds: etcdSource,
  "eureka+http": eurekaSource,
  "eureka+https": eurekaSource,
  kube: kubeSource,
  mcp: mcpSource,
  mcps: mcpSource,
  "mcp+listen": mcpListenSource,
  "mcps+listen": mcpListenSource,
  xds: xdsSource,
  xdss: xdsSource,
  zookeeper: zooKeeperSource,
  zookeepers: zooKeeperSource,
};
