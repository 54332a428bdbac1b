import { expect, test } from "vitest";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { trustDomainCheck } from "./trust-domain-check.ts";

test("a trust domain that the mesh does not have is a warning, once until the mesh has it", () => {
  const logger = new RecordingLogger();
  let mesh = ["cluster.local", "old.local"];
  const check = trustDomainCheck({ trustDomain: "old.local", meshTrustDomains: () => mesh, logger });
  check();
  expect(logger.lines).toEqual([]);
  mesh = ["cluster.local"];
  check();
  check();
  mesh = ["old.local"];
  check();
  expect(logger.lines).toEqual([
    {
      level: "warn",
      fields: { trustDomain: "old.local", mesh: ["cluster.local"], remedy: expect.stringContaining("MeshConfig") },
      message: "the mesh refuses certificates of --ca-trust-domain",
    },
    {
      level: "info",
      fields: { trustDomain: "old.local", mesh: ["old.local"] },
      message: "the mesh accepts certificates of --ca-trust-domain",
    },
  ]);
});
