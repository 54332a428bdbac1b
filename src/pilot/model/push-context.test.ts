import { expect, test } from "vitest";
import { pushOf, viewOf } from "../../testing/model/push.ts";
import { fakeService } from "../../testing/model/fake-service.ts";
import { defaultMeshSettings } from "./mesh-settings.ts";
import { capturePush, withEndpoints } from "./push-context.ts";

test("newer endpoints leave everything else unchanged", () => {
  const push = pushOf({ services: [fakeService()], mesh: { rootNamespace: "root" } });
  const endpoints = [{ hostname: "cart.shop", namespace: "shop", endpoints: [], owners: [] }];
  const moved = pushOf({ endpoints });
  const newer = withEndpoints(push, moved, 7);
  expect(newer.sequence).toBe(7);
  expect(newer.endpoints).toBe(moved.endpoints);
  expect(newer.instances).toBe(moved.instances);
  expect(newer.services).toBe(push.services);
  expect(newer.mesh).toBe(push.mesh);
});

test("a mesh without settings has the default settings", () => {
  const empty = viewOf<never>([]);
  const push = capturePush(
    {
      services: empty,
      endpoints: empty,
      virtualServices: empty,
      virtualServicesByGateway: empty,
      destinationRules: empty,
      hostRules: empty,
      gateways: empty,
      sidecars: empty,
      sidecarsByNamespace: empty,
      peerAuthentications: empty,
      peerAuthenticationsByNamespace: empty,
      instances: empty,
      peers: empty,
      demands: empty,
      networkGateways: empty,
      mesh: empty,
    },
    1,
  );
  expect(push.mesh).toBe(defaultMeshSettings);
});
