import { expect, test } from "vitest";
import type { PushContext } from "../../model/push-context.ts";
import type { Catalogue } from "../catalogue.ts";
import { SubstitutedCatalogues } from "./substituted-catalogues.ts";

const request = { changed: new Set<never>(), forced: false, reasons: new Map(), startedAt: 0 };

test("a second mesh is copied in steps, once, and again after its last catalogue was dropped", async () => {
  const steps: string[] = [];
  const catalogues = new SubstitutedCatalogues({
    main: { published: { sequence: 1 } } as unknown as Catalogue,
    open: () => ({
      async fill(turn) {
        steps.push("fill");
        await turn();
      },
      capture() {
        steps.push("capture");
        return { push: {} as PushContext, request };
      },
    }),
    create: () => ({ advance: () => Promise.resolve() }) as unknown as Catalogue,
    turn() {
      steps.push("turn");
      return Promise.resolve();
    },
  });
  const first = await catalogues.update(undefined, new Map());
  await catalogues.update(first, new Map());
  const second = await catalogues.update(undefined, new Map());
  expect(steps).toEqual(["fill", "turn", "capture", "capture", "capture"]);
  catalogues.drop(first);
  catalogues.drop(second);
  await catalogues.update(undefined, new Map());
  expect(steps.slice(5)).toEqual(["fill", "turn", "capture"]);
});
