/**
 * `npm run build`: the published form of `src` in `dist`, with types, and of `desk` in `gen/desk`. The
 * rest of `gen` is published as it is.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readCommit } from "../src/app/process/version.ts";
import { buildDesk } from "./build-desk.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, "node_modules/.bin/tsc");
const { status } = spawnSync(tsc, ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
chmodSync(join(dist, "cli/main.js"), 0o755);
await buildDesk(join(root, "gen/desk"));
// A published package has no Git beside it.
writeFileSync(join(dist, "commit"), `${readCommit(root)}\n`);
