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
    ["without a delta mark is full state", { incremental: false, resumed: true }, "nothing"],
    ["of a Binnacle source is a delta from the held state", { resumed: true }, "held"],
    ["with a removal is a delta from the held state", { removedResources: ["shop/x"] }, "held"],
    ["that repeats an announced version is full state", { resources: [sent("shop/a", "1")] }, "nothing"],
    [
      "that repeats one announced version among others is full state",
      { resources: [sent("shop/c", "1"), sent("shop/a", "1")] },
      "nothing",
    ],
    ["with another version of an announced resource may be either", { resources: [sent("shop/a", "2")] }, "unknown"],
    ["that repeats an empty version may be either", { resources: [sent("shop/b", "")] }, "unknown"],
    ["with a resource without metadata may be either", { resources: [{}] }, "unknown"],
    ["that is empty may be either", {}, "unknown"],
  ])("%s", (_, message, expected) => {
    expect(base(message)).toBe(expected);
  });

  test("is full state without an announcement, however it is marked", () => {
    expect(baseOf(create(ResourcesSchema, { incremental: true, resumed: true }), undefined)).toBe("nothing");
  });
});
