import { expect, test } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { statusHeaders } from "./grpc-status.ts";

test.each([
  ["plain words, and ~punctuation!", "plain words, and ~punctuation!"],
  ["100 % sûr", "100 %25 s%C3%BBr"],
  ["two\nlines", "two%0Alines"],
  ["half a pair \ud800", "half a pair %EF%BF%BD"],
])("the message %j is encoded as %s", (message, encoded) => {
  expect(statusHeaders(GrpcStatus.UNKNOWN, message)).toEqual({ "grpc-status": "2", "grpc-message": encoded });
});

test("an absent message has no header", () => {
  expect(statusHeaders(GrpcStatus.OK)).toEqual({ "grpc-status": "0" });
});

test("a long message is cut, so that the client still gets its status", () => {
  const { "grpc-message": message } = statusHeaders(GrpcStatus.UNKNOWN, "x".repeat(3_000_000));
  expect(message).toBe(`${"x".repeat(1_024)}%E2%80%A6 (3000000 characters)`);
});
