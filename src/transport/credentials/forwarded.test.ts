import { expect, test } from "vitest";
import { isForwarded } from "./forwarded.ts";

test.each([
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "via",
  "x-real-ip",
  "true-client-ip",
])("a request with %s was passed on for somebody else", (name) =>
  expect(isForwarded({ host: "localhost", [name]: "" })).toBe(true),
);

test("a request with other headers was not", () => {
  expect(isForwarded({ host: "localhost", "user-agent": "curl", te: "trailers", "x-request-id": "1" })).toBe(false);
});
