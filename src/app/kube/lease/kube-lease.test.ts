import { describe, expect, test } from "vitest";
import type { KubeRequest } from "../../../kube/kube-client.ts";
import { KubeError } from "../../../kube/kube-error.ts";
import { kubeLease } from "./kube-lease.ts";

const record = {
  holder: "a",
  durationMs: 15_000,
  acquiredAt: "2026-01-01T00:00:00.000Z",
  renewedAt: "2026-01-01T00:00:02.500000Z",
  transitions: 3,
};
const path = "/apis/coordination.k8s.io/v1/namespaces/mesh/leases";
const spec = {
  holderIdentity: "a",
  leaseDurationSeconds: 15,
  acquireTime: "2026-01-01T00:00:00.000000Z",
  renewTime: "2026-01-01T00:00:02.500000Z",
  leaseTransitions: 3,
};

function lease(answer: unknown) {
  const calls: KubeRequest[] = [];
  const store = kubeLease(
    {
      json: async ({ signal: _signal, ...request }) => {
        calls.push(request);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    { namespace: "mesh", name: "binnacle" },
  );
  return { calls, store };
}

const refusal = (code: number) => new KubeError({ message: `refused with ${code}` }, { code });

describe("a Lease of Kubernetes", () => {
  test("is read, also with missing fields", async () => {
    expect(await lease({ metadata: { resourceVersion: "7" }, spec }).store.read()).toEqual({
      ...record,
      acquiredAt: spec.acquireTime,
      version: "7",
    });
    expect(await lease({ metadata: { resourceVersion: "7" } }).store.read()).toEqual({
      version: "7",
      holder: "",
      durationMs: 0,
      acquiredAt: "",
      renewedAt: "",
      transitions: 0,
    });
  });

  test("is created if it is missing, and else updated in the version that was read", async () => {
    expect(await lease(refusal(404)).store.read()).toBeUndefined();
    const { calls, store } = lease({});
    expect([await store.write(record, undefined), await store.write(record, "7")]).toEqual([true, true]);
    expect(calls).toEqual([
      {
        method: "POST",
        path,
        body: {
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: { name: "binnacle", namespace: "mesh" },
          spec,
        },
      },
      {
        method: "PATCH",
        path: `${path}/binnacle`,
        body: { metadata: { resourceVersion: "7" }, spec },
        contentType: "application/merge-patch+json",
      },
    ]);
  });

  test.each([409, 404])("is not ours if another client updated or deleted it meanwhile (%d)", async (code) => {
    expect(await lease(refusal(code)).store.write(record, "7")).toBe(false);
  });

  test("cannot be created in a missing namespace", async () => {
    await expect(lease(refusal(404)).store.write(record, undefined)).rejects.toThrow("refused with 404");
    expect(await lease(refusal(409)).store.write(record, undefined)).toBe(false);
  });

  test("without permission to read or write is an error that names the permission", async () => {
    await expect(lease(refusal(403)).store.read()).rejects.toThrow("refused with 403");
    await expect(lease(refusal(403)).store.write(record, "7")).rejects.toThrow("refused with 403");
  });
});
