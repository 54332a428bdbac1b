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
  const { mesh, ...views } = pushOf({ mesh: { rootNamespace: "root" } });
  const push = capturePush({ ...views, mesh: viewOf<typeof mesh>([]) }, 1);
  expect(push.mesh).toBe(defaultMeshSettings);
});
