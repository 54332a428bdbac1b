import { expect, test } from "vitest";
import { namedPullSecret } from "./secret-name.ts";

test.each([
  ["regcred", "Secret/shop/regcred"],
  ["kubernetes://regcred", "Secret/shop/regcred"],
  ["kubernetes://other/regcred", "Secret/shop/regcred"],
  ["other/regcred", "Secret/shop/regcred"],
  ["a-cacert", "Secret/shop/a-cacert"],
  ["invalid://regcred", undefined],
  ["a/b/c", undefined],
])("the pull secret %s of namespace shop is %s", (written, id) => {
  expect(namedPullSecret(written, "shop")).toBe(id);
});
