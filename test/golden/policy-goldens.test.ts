import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { answersTo, nodesOf, recordedMesh, recordingOf } from "./recordings.ts";

const wasm = "../istiod-1.29.6-policy/p5-wasm";

describeWithData(istiodGoldens, "proxies get the extensions that istiod 1.29.6 sends", () => {
  test.each(["CDS", "EDS", "LDS", "RDS", "ECDS"])("p5-wasm: %s", async (type) => {
    const mesh = await recordedMesh(wasm);
    for (const node of nodesOf(wasm)) {
      const { ours, theirs } = answersTo(node, { type, mesh, recording: recordingOf(wasm, node, type) });
      expect(ours).toEqual(theirs.map(withText));
    }
  });
});

/** istiod reads YAML 1.1, in which `y` is a boolean. Here it is a text. */
function withText(body: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(body).replace('[\\"x\\",true]', '[\\"x\\",\\"y\\"]')) as JsonValue;
}
