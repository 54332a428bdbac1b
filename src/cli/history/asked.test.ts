import { expect, test } from "vitest";
import type { MeshAt } from "../../history/history.ts";
import { meshAt } from "./asked.ts";

test("a moment that the history does not have is an error, and not the one before", async () => {
  const mesh: MeshAt = {
    moment: { number: 7, at: 1_000 },
    settings: {
      domain: "cluster.local",
      clusterId: "Kubernetes",
      scopeGatewayToNamespace: false,
      workloadHealth: false,
    },
    entries: new Map(),
    objectOf: () => undefined,
    visited: 0,
  };
  const history = { at: () => Promise.resolve(mesh) };
  expect(await meshAt(history, { type: "moment", number: 7 })).toBe(mesh);
  expect(await meshAt(history, { type: "time", at: 2_000 })).toBe(mesh);
  await expect(meshAt(history, { type: "moment", number: 99 })).rejects.toThrow(
    "the history has no moment 99; the one before is 7",
  );
});
