import { expect, test } from "vitest";
import { type SourceStatus, sourcesText } from "./sources-text.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const files: SourceStatus = {
  name: "file:./mesh",
  state: "synced",
  optional: false,
  lastHeard: "2026-01-01T11:58:59Z",
  collections: [
    { collection: "a", objects: 3, lost: 0 },
    { collection: "b", objects: 4, lost: 0 },
  ],
  loses: [],
  issues: [],
};
const eureka: SourceStatus = {
  name: "eureka+http://one:8761/eureka",
  state: "stale",
  reason: "connect ECONNREFUSED",
  staleSince: "2026-01-01T09:00:00Z",
  optional: true,
  collections: [{ collection: "a", objects: 2, lost: 1 }],
  loses: [{ collection: "a", key: "shop/cart", winner: "file:./mesh" }],
  issues: [{ severity: "warning", object: "ServiceEntry shop/pay", message: "instance pay-1 has no port" }],
};

test("sources have one line each, with their problems below", () => {
  expect(sourcesText([files, eureka], "text", now)).toBe(
    `SOURCE                          STATE              HEARD    OBJECTS   LOST   ISSUES
file:./mesh                     synced             1m ago   7         0      0
eureka+http://one:8761/eureka   stale (optional)   never    2         1      1

eureka+http://one:8761/eureka:
  stale for 3h: connect ECONNREFUSED
  a shop/cart comes from file:./mesh
  warning: ServiceEntry shop/pay: instance pay-1 has no port`,
  );
});

test("a long list of lost objects is shortened", () => {
  const loses = Array.from({ length: 12 }, (_, index) => ({ collection: "a", key: `shop/${index}`, winner: "w" }));
  const text = sourcesText([{ ...files, loses }], "text", now);
  expect(text).toContain("a shop/9 comes from w\n  and 2 more objects");
  expect(text).not.toContain("shop/10");
});

test("a server may have no source", () => {
  expect(sourcesText([], "text", now)).toBe("there is no source");
});
