import { expect, test } from "vitest";
import type { Redirect } from "../../../model/traffic/virtual-service.ts";
import { buildRedirect } from "./redirect.ts";

const redirect: Redirect = {
  type: "redirect",
  authority: "",
  path: { type: "replace", value: "" },
  scheme: "",
  port: "default",
  code: 0,
};

test.each<[Partial<Redirect>, number, boolean, number]>([
  [{}, 8080, false, 0],
  [{ port: 8443 }, 80, false, 8443],
  [{ port: "from-request" }, 8080, false, 8080],
  [{ port: "from-request" }, 80, false, 0],
  [{ port: "from-request", scheme: "https" }, 80, false, 80],
  [{ port: 443, scheme: "https" }, 80, false, 0],
  [{ port: 443 }, 443, true, 0],
])("%j on port %i (TLS %s) goes to port %i", (changes, listenPort, tls, expected) => {
  expect(buildRedirect({ ...redirect, ...changes }, listenPort, tls)?.portRedirect).toBe(expected);
});

test("a status that is not a redirect gives no redirect", () => {
  expect(buildRedirect({ ...redirect, code: 418 }, 80, false)).toBeUndefined();
});
