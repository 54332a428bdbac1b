import { expect, test } from "vitest";
import { fakeService } from "../../../testing/model/fake-service.ts";
import { statName } from "./stat-name.ts";

const pattern =
  "%SERVICE%|%SERVICE_NAME%|%SERVICE_FQDN%|%SERVICE_PORT%|%SERVICE_PORT_NAME%|%TARGET_PORT%|%SUBSET_NAME%|%OTHER%";
const counted = { port: { number: 80, name: "http" }, subset: "v1", targetPort: 8080 };

test("placeholders become the service, port and subset of the cluster", () => {
  const service = fakeService({ hostname: "cart.shop.svc.cluster.local", registry: "Kubernetes", namespace: "shop" });
  expect(statName(pattern, { ...counted, service })).toBe(
    "cart.shop|cart|cart.shop.svc.cluster.local|80|http|8080|v1|%OTHER%",
  );
});

test("services outside of Kubernetes use their host", () => {
  const service = fakeService({ hostname: "api.example.com", registry: "External" });
  expect(statName("%SERVICE%|%SERVICE_NAME%", { ...counted, service })).toBe("api.example.com|api.example.com");
});
