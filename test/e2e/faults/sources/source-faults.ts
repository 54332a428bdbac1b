import type { Fault } from "../fault.ts";
import { etcdSubject } from "./etcd-origin.ts";
import { eurekaSubject } from "./eureka-origin.ts";
import { fakeKubeSubject } from "./fake-kube-origin.ts";
import { fileSubject } from "./file-origin.ts";
import { kubeSubject } from "./kube-origin.ts";
import { mcpSubject, xdsSubject } from "./galley-origin.ts";
import { rowsOf } from "./source-rows.ts";
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
];
