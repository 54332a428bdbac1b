/**
 * Brings a checkout to the state its scripts need, and does nothing when it is already there.
 * Plain JavaScript for Node 20: it runs before the project's own Node is installed.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** @param {string[]} paths files or folders, hashed with everything below them */
function digest(paths) {
  const hash = createHash("sha256");
  const visit = (path) => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory()) visit(join(path, entry.name));
      else hash.update(entry.name).update(readFileSync(join(path, entry.name)));
    }
  };
  for (const path of paths.map((each) => join(root, each))) {
    if (readdirIfFolder(path)) visit(path);
    else hash.update(path.slice(root.length)).update(readFileSync(path));
  }
  return hash.digest("hex");
}

function readdirIfFolder(path) {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Runs the step unless its stamp says that the same inputs were already done. */
function step(what, stamp, inputs, command, args) {
  const wanted = digest(inputs);
  const file = join(root, stamp);
  if (existsSync(file) && readFileSync(file, "utf8") === wanted) return;
  process.stderr.write(`${what} …\n`);
  const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (result.status !== 0) process.exit(result.status ?? 1);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, wanted);
}

// Not `npm ci`: npm 11 refuses a lockfile without download addresses there. `--no-save` leaves the lockfile as it is.
step("installing dependencies", "node_modules/.binnacle-stamp", ["package-lock.json"], "npm", ["install", "--no-save"]);
const node = join(root, "node_modules/.bin/node");
const generated = ["package-lock.json", "proto", "scripts/generate.ts", "scripts/proto-additions.ts"];
step("generating protobuf code", "gen/.stamp", generated, existsSync(node) ? node : "node", ["scripts/generate.ts"]);
