import { expect, test } from "vitest";
import { EnvelopeError } from "./envelope-error.ts";

test("an envelope error names the resource, or says that it has no name", () => {
  expect(new EnvelopeError("shop/a", "there is no body")).toMatchObject({
    name: "EnvelopeError",
    message: "shop/a: there is no body",
    resource: "shop/a",
    reason: "there is no body",
  });
  expect(new EnvelopeError("", "there is no body").message).toBe("a resource without a name: there is no body");
});
