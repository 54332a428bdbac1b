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
])("a request with %s was forwarded by a proxy", (name) =>
  expect(isForwarded({ host: "localhost", [name]: "" })).toBe(true),
);

test("a request with other headers was not forwarded", () => {
  expect(isForwarded({ host: "localhost", "user-agent": "curl", te: "trailers", "x-request-id": "1" })).toBe(false);
});
