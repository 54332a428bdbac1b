import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { answersTo, nodesOf, type RecordedNode, recordedMesh, recordingOf } from "./recordings.ts";

const types = ["CDS", "EDS", "LDS", "RDS"];
const names = ["k1-clusterip", "k2-headless", "k3-externalname", "k4-ingress", "k5-app-protocol", "k6-target-port"];

const scenarios = names.filter((name) => existsSync(join(istiodGoldens, name)));

/** Resources that still differ. A listed test must fail, so that the list cannot become outdated. */
const different: ReadonlyMap<string, string> = new Map([
  ["k6-target-port sidecar-front CDS", "the recorder's API server left `protocol: TCP` out of container ports"],
  ["k6-target-port sidecar-front LDS", "the recorder's API server left `protocol: TCP` out of container ports"],
]);

async function answersOf(scenario: string, node: RecordedNode, type: string) {
  const mesh = await recordedMesh(scenario);
  return answersTo(node, { type, mesh, recording: recordingOf(scenario, node, type) });
}

describeWithData(istiodGoldens, "proxies in a cluster get what istiod 1.29.6 sends", () => {
  test("of every scenario", () => {
    expect(scenarios).toEqual(names);
  });

  describe.each(scenarios)("%s", (scenario) => {
    const cases = nodesOf(scenario).flatMap((node) =>
      types.map((type) => ({ node, type, name: `${node.name} ${type}` })),
    );
    const differs = ({ name }: { readonly name: string }) => different.has(`${scenario} ${name}`);

    test.each(cases.filter((each) => !differs(each)))("$name", async ({ node, type }) => {
      const { ours, theirs } = await answersOf(scenario, node, type);
      expect(ours).toEqual(theirs);
    });

    test.fails.each(cases.filter(differs))("$name still differs", async ({ node, type }) => {
      const { ours, theirs } = await answersOf(scenario, node, type);
      expect(ours).toEqual(theirs);
    });
  });
});
