import { create, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { patchesWith } from "../../../testing/model/envoy-patches.ts";
import { makeResource } from "../make-resource.ts";
import { patchedCluster } from "./patched-resource.ts";

const writer = new ProtoWriter();

/** The reasons why a patch of a cluster is left out. */
function problemsOf(cluster: MessageInitShape<typeof ClusterSchema>, value: JsonObject): readonly string[] {
  const any = writer.any(ClusterSchema, create(ClusterSchema, { name: "a", ...cluster }));
  const resource = makeResource({ name: "a", any, owners: [] });
  const patches = patchesWith({ applyTo: "CLUSTER", patch: { operation: "MERGE", value } });
  const { problems } = patchedCluster([resource, writer, ...patches], { context: "GATEWAY", served: [] });
  return [...problems.values()].map(({ path }) => path);
}

const tooShort = { connect_timeout: "0s" };

test("a patch that breaks a rule of Envoy's is left out", () => {
  expect(problemsOf({}, { alt_stat_name: "b" })).toEqual([]);
  expect(problemsOf({}, tooShort)).toEqual(["connect_timeout"]);
});

test("a rule that a cluster breaks without any patch does not count against a patch", () => {
  expect(problemsOf({ connectTimeout: { seconds: 0n } }, { alt_stat_name: "b" })).toEqual([]);
});
