/**
 * `npm run image`: the container image as an OCI image layout in `image`, without a container engine, for the
 * architecture of this machine. `SOURCE_DATE_EPOCH` is the time of its files; default: the time of the commit.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./build/bundle.ts";
import { buildPackage } from "./build/package.ts";
import { buildImage } from "./image/build-image.ts";

const packageFolder = join(root, "dist");
await buildPackage(packageFolder);
const digest = await buildImage({ packageFolder, target: join(root, "image"), epoch: epoch() });
process.stderr.write(`image: ${digest}\n`);

function epoch(): number {
  const given = process.env["SOURCE_DATE_EPOCH"];
  const { stdout } = spawnSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" });
  const seconds = Number(given ?? (stdout || "0"));
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new Error(`SOURCE_DATE_EPOCH must be a number of seconds, found "${given}"`);
  return seconds;
}
