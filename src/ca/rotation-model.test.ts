import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MeshAction, maxTtlMs, offsetMs, RotationMesh, times, usualTtlMs } from "../testing/ca/rotation-mesh.ts";
import { runs, seed } from "../testing/random/seed.ts";
import type { RotationPhase } from "./roots.ts";

const counts = { replicas: 2, workloads: 3 };

const replica = fc.nat(counts.replicas - 1);
const offset = fc.constantFrom(-offsetMs, 0, offsetMs);
const action: fc.Arbitrary<MeshAction> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: maxTtlMs / 10 }) }),
  },
  { weight: 9, arbitrary: fc.record({ type: fc.constant("wait" as const), skipped: fc.nat(3) }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constantFrom("advance", "advance", "rotate", "read"), replica }) },
  { weight: 9, arbitrary: fc.record({ type: fc.constant("commit" as const), replica }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("crash", "cancel"), replica }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("renew" as const),
      workload: fc.nat(counts.workloads - 1),
      replica,
      ttlMs: fc.constantFrom(maxTtlMs, maxTtlMs / 2, usualTtlMs),
    }),
  },
);
const story = fc.record({
  actions: fc.array(action, { minLength: 200, maxLength: 500, size: "max" }),
  replicaOffsets: fc.array(offset, { minLength: counts.replicas, maxLength: counts.replicas }),
  workloadOffsets: fc.array(offset, { minLength: counts.workloads, maxLength: counts.workloads }),
});

test("no live workload refuses another in any interleaving of replicas, crashes, clocks and renewals", () => {
  let rotations = 0;
  const refusalsIn = fc.property(story, ({ actions, ...offsets }) => {
    const mesh = new RotationMesh(offsets);
    for (const step of actions) {
      mesh.take(step);
      const [refusal] = mesh.refusals();
      if (refusal !== undefined) throw new Error(refusal);
    }
    rotations += mesh.rotations;
  });
  fc.assert(refusalsIn, { seed, numRuns: runs(500) });
  expect(rotations).toBeGreaterThan(50);
});

/** Every delay and every difference between clocks is as long as allowed, against the rule. */
describe.each([usualTtlMs, maxTtlMs])("with the longest delays and certificates of %i ms", (ttlMs) => {
  const lastMs = times.lagMs - 1;
  /** The clock of the first replica is late, those of the others are early. The clocks of workloads are late. */
  const offsets = { replicaOffsets: [-offsetMs, offsetMs, offsetMs], workloadOffsets: [-offsetMs, -offsetMs] };
  const [slow, stale, early] = [0, 1, 2];

  /**
   * The slow replica writes late. The stale one reads just before, and signs by it for as long as it may. The early one
   * ends the new phase as soon as its clock allows it.
   */
  function hurry(mesh: RotationMesh, type: "rotate" | "advance"): void {
    mesh.take({ type, replica: slow });
    mesh.take({ type: "pass", ms: lastMs });
    mesh.take({ type: "read", replica: stale });
    mesh.take({ type: "commit", replica: slow });
    const signsAt = mesh.now + lastMs;
    if (mesh.phaseEndFor(early) < signsAt) end(mesh);
    mesh.now = Math.max(mesh.now, signsAt);
    mesh.take({ type: "renew", workload: 0, replica: stale, ttlMs });
  }

  /** A mesh whose authority may sign certificates of this life. */
  function recorded(): RotationMesh {
    const mesh = new RotationMesh(offsets);
    mesh.take({ type: "read", replica: slow });
    mesh.take({ type: "renew", workload: 0, replica: slow, ttlMs });
    mesh.take({ type: "commit", replica: slow });
    expect(mesh.stored.roots.longestTtlMs).toBe(ttlMs);
    return mesh;
  }

  function end(mesh: RotationMesh): void {
    mesh.now = Math.max(mesh.now, mesh.phaseEndFor(early));
    mesh.take({ type: "advance", replica: early });
    mesh.take({ type: "commit", replica: early });
    mesh.take({ type: "read", replica: early });
  }

  function endUntil(mesh: RotationMesh, phase: RotationPhase): void {
    while (mesh.stored.roots.phase !== phase) end(mesh);
    mesh.take({ type: "renew", workload: 1, replica: early, ttlMs: usualTtlMs });
    expect(mesh.longest).toBe(ttlMs);
  }

  test("a workload trusts the new root before it signs", () => {
    const mesh = recorded();
    hurry(mesh, "rotate");
    endUntil(mesh, "sign");
    expect(mesh.refusals()).toEqual([]);
  });

  test("a certificate of the old root expires before workloads stop to trust it", () => {
    const mesh = recorded();
    mesh.take({ type: "rotate", replica: slow });
    mesh.take({ type: "commit", replica: slow });
    mesh.now = mesh.phaseEndFor(slow);
    hurry(mesh, "advance");
    endUntil(mesh, "steady");
    expect(mesh.refusals()).toEqual([]);
  });
});
