import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changePicture, rejectionPicture, startPicture } from "./pictures/recorded.ts";
import { startsPicture } from "./pictures/starts.ts";
import * as tables from "./pictures/tables.ts";

const folder = join(import.meta.dirname, "../docs/pictures");
const update = process.env["UPDATE_DOCS"] === "1";

/** The pictures of the documentation. They are drawn from tables in the code, and from runs of it. */
const pictures: Readonly<Record<string, () => string | Promise<string>>> = {
  "flow.svg": tables.flowPicture,
  "layers.svg": tables.layersPicture,
  "groups.svg": tables.groupsPicture,
  "families.svg": tables.familiesPicture,
  "concerns.svg": tables.concernsPicture,
  "push.svg": tables.pushPicture,
  "order.svg": tables.orderPicture,
  "paces.svg": tables.pacesPicture,
  "thresholds.svg": tables.thresholdsPicture,
  "waves.svg": tables.wavesPicture,
  "identity.svg": tables.identityPicture,
  "starts.svg": startsPicture,
  "stream-start.svg": startPicture,
  "stream-change.svg": changePicture,
  "stream-rejection.svg": rejectionPicture,
};

test.each(Object.entries(pictures))(
  "docs/pictures/%s matches the code (UPDATE_DOCS=1 npm test -- test/pictures.test.ts)",
  async (name, draw) => {
    const drawn = await draw();
    if (update) writeFileSync(join(folder, name), drawn);
    expect(readFileSync(join(folder, name), "utf8")).toBe(drawn);
  },
);

test("every picture is drawn by the code and shown on a page", () => {
  expect(globSync("*.svg", { cwd: folder }).toSorted()).toEqual(Object.keys(pictures).toSorted());
  const pages = globSync("../**/*.md", { cwd: folder }).map((path) => readFileSync(join(folder, path), "utf8"));
  const unseen = Object.keys(pictures).filter((name) => !pages.some((page) => page.includes(`pictures/${name})`)));
  expect(unseen).toEqual([]);
});
