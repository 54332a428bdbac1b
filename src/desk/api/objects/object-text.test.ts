import { expect, test } from "vitest";
import { clusterService } from "../../../testing/config/fake-cluster-service.ts";
import { acceptedText } from "./object-text.ts";

test("a service of a registry is printed with its plain spec", () => {
  const { yaml, written } = acceptedText(clusterService());
  expect(written).toBe(false);
  expect(yaml).toContain("kind: Service\n");
  expect(yaml).toContain("hostname: cart.shop\n");
});
