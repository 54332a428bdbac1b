import { expect, test } from "vitest";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeVirtualService } from "../../../testing/model/traffic.ts";
import { virtualServicesFor } from "./virtual-services-for.ts";

test("virtual services apply in the order private, named, public, and by age within each", () => {
  const push = pushOf({
    virtualServices: [
      fakeVirtualService({ name: "public-young", createdAt: 2 }),
      fakeVirtualService({ name: "public-old", createdAt: 1 }),
      fakeVirtualService({ name: "named", createdAt: 9, exportTo: ["web"] }),
      fakeVirtualService({ name: "private", namespace: "web", createdAt: 9, exportTo: ["."] }),
      fakeVirtualService({ name: "hidden", exportTo: ["."] }),
      fakeVirtualService({ name: "elsewhere", gateways: ["mesh"] }),
    ],
  });
  const names = virtualServicesFor("edge/edge", "web", push).map(({ name }) => name);
  expect(names).toEqual(["private", "named", "public-old", "public-young"]);
  expect(virtualServicesFor("edge/unknown", "web", push)).toEqual([]);
});
