import type { Kind } from "../../config/kind.ts";
import { fileSource } from "../../galley/source/file.ts";
import type { Source } from "../../galley/source/source.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Options } from "../options.ts";
import { etcdFrom } from "./etcd.ts";
import { eurekaSource } from "./eureka.ts";
import { kubeSource } from "./kube.ts";
import { readQuery, type SourceUrl } from "./source-url.ts";
import { zooKeeperSource } from "./zookeeper.ts";

/** What sources are made with, beside their URL. */
export interface SourceTools {
  /** What the mesh is made of: nothing else need be read. */
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly options: Options;
}

/** Makes a source of a URL with its scheme. Throws `bad-option`; whether anything is there is seen when it starts. */
export type MakeSource = (url: SourceUrl, tools: SourceTools) => Source;

/** What `--source` understands, by the scheme of the URL. */
export const schemes: Readonly<Record<string, MakeSource>> = {
  file(url, { kinds, clock }) {
    readQuery(url, {});
    return fileSource({ directory: url.rest, kinds, clock });
  },
  etcd: etcdFrom,
  etcds: etcdFrom,
  "eureka+http": eurekaSource,
  "eureka+https": eurekaSource,
  kube: kubeSource,
  zookeeper: zooKeeperSource,
};
