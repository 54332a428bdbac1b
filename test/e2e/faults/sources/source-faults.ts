import type { Fault } from "../fault.ts";
import { etcdSubject } from "./etcd-origin.ts";
import { eurekaSubject } from "./eureka-origin.ts";
import { fakeKubeSubject } from "./fake-kube-origin.ts";
import { fileSubject } from "./file-origin.ts";
import { kubeSubject } from "./kube-origin.ts";
import { mcpSubject, xdsSubject } from "./galley-origin.ts";
import { rowsOf } from "./source-rows.ts";
import { atOnce } from "./two-origins.ts";
import { zooKeeperSubject } from "./zookeeper-origin.ts";

/** Faults of the servers that sources read. */
export const sourceFaults: readonly Fault[] = [
  ...rowsOf(fileSubject),
  ...rowsOf(fakeKubeSubject),
  ...rowsOf(kubeSubject),
  ...rowsOf(etcdSubject),
  ...rowsOf(zooKeeperSubject),
  ...rowsOf(eurekaSubject),
  ...rowsOf(mcpSubject),
  ...rowsOf(xdsSubject),
  ...rowsOf(atOnce(fakeKubeSubject, "resets every connection", zooKeeperSubject, "comes back empty", "whole")),
  ...rowsOf(atOnce(etcdSubject, "is restored from a backup", fileSubject, "has only half of every file")),
  ...rowsOf(atOnce(mcpSubject, "is killed", eurekaSubject, "lists no instances", "whole")),
  ...rowsOf(atOnce(xdsSubject, "comes back empty", fakeKubeSubject, "lists no objects", "whole")),
];
