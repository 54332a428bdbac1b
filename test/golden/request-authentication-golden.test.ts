import { expect, test } from "vitest";
import { describeWithData, istiodPolicyGoldens } from "../../src/testing/shared-data.ts";
import { answersTo, nodesOf, recordedMesh, recordingOf } from "./recordings.ts";

const scenario = "../istiod-1.29.6-policy/p2-request-authentication";

describeWithData(istiodPolicyGoldens, "proxies get the filters for tokens that istiod 1.29.6 sends", () => {
  test.each(["CDS", "EDS", "LDS", "RDS"])("%s", async (type) => {
    const mesh = await recordedMesh(scenario);
    for (const node of nodesOf(scenario)) {
      const recording = recordingOf(scenario, node, type, "expect");
      const { ours, theirs } = answersTo({ ...node, extensions: [] }, { type, mesh, recording });
      expect(ours).toEqual(theirs);
    }
    expect(nodesOf(scenario)).toHaveLength(3);
  });
});
