import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";

test.each(["json", "text"] as const)("a line as %s is bounded, however much a client sent", (format) => {
  const lines: string[] = [];
  const logger = createLogger({ write: (line) => lines.push(line) }, format);
  const node = "x".repeat(3_000_000);
  logger.child({ node }).warn({ node, reason: node }, "proxy rejected a response");
  expect(lines).toHaveLength(1);
  expect(lines[0]?.length).toBeLessThan(1_200);
  expect(lines[0]).toContain("(3000000 characters)");
});
