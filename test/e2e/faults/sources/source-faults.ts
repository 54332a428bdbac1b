import type { Fault } from "../fault.ts";
import { etcdSubject } from "./etcd-origin.ts";
import { fakeKubeSubject } from "./fake-kube-origin.ts";
import { fileSubject } from "./file-origin.ts";
import { rowsOf } from "./source-rows.ts";

/** Faults of the servers that sources read. */
export const sourceFaults: readonly Fault[] = [
  ...rowsOf(fileSubject),
  ...rowsOf(etcdSubject),
  ...rowsOf(fakeKubeSubject),
];
