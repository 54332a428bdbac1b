import type { Kind } from "../../config/kind.ts";
import { createFileSource } from "../../galley/source/file/file-source.ts";
import type { Source } from "../../galley/source/source.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { RemoteGalleys } from "../mcp/remote-galleys.ts";
import type { Options } from "../options/options.ts";
import { etcdSource } from "./etcd.ts";
import { eurekaSource } from "./eureka.ts";
import { kubeSource } from "./kube.ts";
import { mcpSource } from "./mcp.ts";
import { mcpListenSource } from "./mcp-listen.ts";
import { readQuery, type SourceUrl } from "./source-url.ts";
import { xdsSource } from "./xds.ts";
import { zooKeeperSource } from "./zookeeper.ts";

/** The inputs of a source besides its URL. */
export interface SourceTools {
  /** The kinds of the mesh. Sources need not read other kinds. */
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly options: Options;
  /** Lists the remote Galleys and receives their events. */
  readonly galleys: RemoteGalleys;
}

/** Creates the source of a URL with its scheme. Throws `bad-option`. The source connects only when it starts. */
export type MakeSource = (url: SourceUrl, tools: SourceTools) => Source;

/** The sources that `--source` accepts, by the scheme of the URL. */
export const schemes: Readonly<Record<string, MakeSource>> = {
  file(url, { kinds, clock, options: { followLinksOutside } }) {
    readQuery(url, {});
    return createFileSource({ directory: url.rest, kinds, clock, followLinksOutside });
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
};
