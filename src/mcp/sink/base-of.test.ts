import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { baseOf } from "./base-of.ts";

type Init = Omit<MessageInitShape<typeof ResourcesSchema>, "$typeName">;

const announced = new Map([
  ["shop/a", "1"],
  ["shop/b", ""],
]);
const base = (message: Init) => baseOf(create(ResourcesSchema, { incremental: true, ...message }), announced);
const sent = (name: string, version: string) => ({ metadata: { name, version } });

describe("the first push of a collection on a stream", () => {
  test.each<[string, Init, "nothing" | "held" | "unknown"]>([
    ["that is not marked as a difference is the whole", { incremental: false, resumed: true }, "nothing"],
    ["of a source of ours is a difference from what is held", { resumed: true }, "held"],
    ["that removes something is a difference from what is held", { removedResources: ["shop/x"] }, "held"],
    ["that repeats an announced version is the whole", { resources: [sent("shop/a", "1")] }, "nothing"],
    [
      "that repeats one announced version among others is the whole",
      { resources: [sent("shop/c", "1"), sent("shop/a", "1")] },
      "nothing",
    ],
    [
      "that has another version of an announced resource may be either",
      { resources: [sent("shop/a", "2")] },
      "unknown",
    ],
    ["that repeats an empty version proves nothing", { resources: [sent("shop/b", "")] }, "unknown"],
    ["whose resource has no metadata proves nothing", { resources: [{}] }, "unknown"],
    ["that is empty may be either", {}, "unknown"],
  ])("%s", (_, message, expected) => {
    expect(base(message)).toBe(expected);
  });

  test("is full state without an announcement, however it is marked", () => {
    expect(baseOf(create(ResourcesSchema, { incremental: true, resumed: true }), undefined)).toBe("nothing");
  });
});
