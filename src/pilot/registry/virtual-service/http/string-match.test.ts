import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { StringMatchSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { StringMatch } from "../../../model/traffic/virtual-service.ts";
import { stringMatchOf } from "./string-match.ts";

type Match = MessageInitShape<typeof StringMatchSchema>["matchType"];

test.each<[Match, StringMatch]>([
  [
    { case: "exact", value: "" },
    { type: "exact", value: "" },
  ],
  [
    { case: "prefix", value: "/a" },
    { type: "prefix", value: "/a" },
  ],
  [
    { case: "regex", value: ".*" },
    { type: "regex", value: ".*" },
  ],
  [{ case: "regex", value: "*" }, { type: "present" }],
  [{ case: "prefix", value: "" }, { type: "present" }],
  [undefined, { type: "present" }],
])("%o means %o", (matchType, expected) => {
  expect(stringMatchOf(create(StringMatchSchema, matchType === undefined ? {} : { matchType }))).toEqual(expected);
});
