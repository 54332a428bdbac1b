import { anyPack } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { StatusSchema } from "#gen/google/rpc/status_pb.js";
import { nackIn, statusOfNack } from "./nack.ts";

test("a NACK for many objects with long reasons is truncated, and says so", () => {
  const rejected = Array.from({ length: 1_001 }, (_, index) => ({ name: `n${index}`, reason: "r".repeat(5_000) }));
  const nack = nackIn(statusOfNack({ code: 3, message: "m".repeat(5_000), rejected }));
  expect(nack.message).toBe(`${"m".repeat(4_096)}… (5000 characters) (the first 1000 of 1001 rejected objects)`);
  expect(nack.rejected).toHaveLength(1_000);
  expect(nack.rejected[0]).toEqual({ name: "n0", reason: `${"r".repeat(4_096)}… (5000 characters)` });
});

test("a NACK within the limits is kept unchanged", () => {
  const rejected = Array.from({ length: 1_000 }, (_, index) => ({ name: `n${index}`, reason: "r".repeat(4_096) }));
  const nack = { code: 3, message: "m".repeat(4_096), rejected };
  expect(nackIn(statusOfNack(nack))).toEqual(nack);
});

test("foreign details name no rejected object", () => {
  const status = statusOfNack({ code: 3, message: "no", rejected: [{ name: "a", reason: "b" }] });
  status.details[0] = anyPack(StatusSchema, status);
  expect(nackIn(status)).toEqual({ code: 3, message: "no", rejected: [] });
});
