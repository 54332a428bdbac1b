import { expect, test } from "vitest";
import { fakeConfig } from "../testing/config/fake-config.ts";
import { originIn } from "./origin-in.ts";

test("the origin of an object, and of the first of a list, is found", () => {
  const config = fakeConfig({ name: "reviews", line: 7 });
  expect(originIn(config)?.reference).toBe("a.yaml:7");
  expect(originIn([config, fakeConfig({ name: "ratings" })])?.reference).toBe("a.yaml:7");
});

test.each([undefined, null, "text", 7, [], [1], {}, { origin: "here" }, { origin: { reference: "here" } }])(
  "%j has no origin",
  (value) => {
    expect(originIn(value)).toBeUndefined();
  },
);
