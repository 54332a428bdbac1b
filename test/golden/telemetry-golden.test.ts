import { expect, test } from "vitest";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { answersTo, nodesOf, recordedMesh, recordingOf } from "./recordings.ts";

const scenario = "../istiod-1.29.6-policy/p3-telemetry";

describeWithData(istiodGoldens, "access logs and traces are those of istiod 1.29.6", () => {
  test.each(["CDS", "EDS", "LDS", "RDS"])("%s", async (type) => {
    const mesh = await recordedMesh(scenario);
    const nodes = nodesOf(scenario);
    expect(nodes.length).toBeGreaterThan(0);
    for (const node of nodes) {
      const { ours, theirs } = answersTo(node, { type, mesh, recording: recordingOf(scenario, node, type) });
      expect({ [node.name]: ours }).toEqual({ [node.name]: theirs });
    }
  });
});
