import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import { shortNamesOf } from "../route/sidecar/short-names.ts";
import { candidateHostnames } from "./candidate-hostnames.ts";

const shop = "shop.svc.cluster.local";

test.each(["cart", "cart.shop", "cart.shop.svc", `cart.${shop}`, `cart.${shop}.`])(
  "%s means the cart of the own namespace",
  (written) => {
    expect(candidateHostnames(written, shop)).toContain(`cart.${shop}`);
  },
);

test.each(["pay", "cart.web", "cart.shop.svc.cluster", "cart.shop.svc.cluster.local.shop"])(
  "%s does not",
  (written) => {
    expect(candidateHostnames(written, shop)).not.toContain(`cart.${shop}`);
  },
);

test("the name itself comes first", () => {
  expect(candidateHostnames("cart.web", shop)).toEqual(["cart.web", "cart.web.svc.cluster.local"]);
});

test("every short name of a service finds the service", () => {
  const label = fc.constantFrom("cart", "shop", "web", "svc", "local");
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
  const domain = fc.constantFrom(shop, "web.svc.shop.local", "shop.local", "local", "");
  fc.assert(
    fc.property(name, domain, (hostname, dnsDomain) => {
      for (const short of [hostname, `${hostname}.`, ...shortNamesOf(hostname, dnsDomain)]) {
        expect(candidateHostnames(short, dnsDomain)).toContain(hostname);
      }
    }),
    { seed, numRuns: runs(200) },
  );
});
