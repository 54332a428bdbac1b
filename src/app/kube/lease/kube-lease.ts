import { ask, isRefusal, type KubeCalls, mergePatch, unlessMissing } from "../kube-calls.ts";
import type { LeaseRecord, LeaseStore, StoredLease } from "./lease.ts";

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

const apiVersion = "coordination.k8s.io/v1";

/** A Lease as the API server returns it. The API server has validated it. */
interface KubeLease {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** A Lease of Kubernetes. Every write changes its resource version, so the API server refuses a stale write. */
export function kubeLease(calls: KubeCalls, { namespace, name }: LeaseName): LeaseStore {
  const leases = `/apis/${apiVersion}/namespaces/${namespace}/leases`;
  return {
    async read() {
      const lease = await unlessMissing(ask(calls, { path: `${leases}/${name}` }));
      return lease === undefined ? undefined : storedLease(lease as KubeLease);
    },
    async write(record, replaced) {
      const spec = specOf(record);
      try {
        if (replaced === undefined) {
          const body = { apiVersion, kind: "Lease", metadata: { name, namespace }, spec };
          await ask(calls, { method: "POST", path: leases, body });
        } else {
          const body = { metadata: { resourceVersion: replaced }, spec };
          const path = `${leases}/${name}`;
          await ask(calls, { method: "PATCH", path, body, contentType: mergePatch });
        }
        return true;
      } catch (thrown) {
        // Another process wrote, created or deleted the Lease. A 404 on creation means that the namespace is missing.
        if (isRefusal(thrown, 409) || (isRefusal(thrown, 404) && replaced !== undefined)) return false;
        throw thrown;
      }
    },
  };
}

function storedLease({ metadata, spec = {} }: KubeLease): StoredLease {
  return {
    version: metadata.resourceVersion,
    holder: spec.holderIdentity ?? "",
    durationMs: (spec.leaseDurationSeconds ?? 0) * 1000,
    acquiredAt: spec.acquireTime ?? "",
    renewedAt: spec.renewTime ?? "",
    transitions: spec.leaseTransitions ?? 0,
  };
}

function specOf({ holder, durationMs, acquiredAt, renewedAt, transitions }: LeaseRecord): KubeLease["spec"] {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: durationMs / 1000,
    acquireTime: inMicroseconds(acquiredAt),
    renewTime: inMicroseconds(renewedAt),
    leaseTransitions: transitions,
  };
}

/** Kubernetes accepts only this number of digits. */
function inMicroseconds(time: string): string {
  return time.replace(/\.(\d{3})Z$/u, ".$1000Z");
}
