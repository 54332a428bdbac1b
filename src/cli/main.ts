#!/usr/bin/env node
// The entry point. Every Node with modules must be able to parse this file, so that an old Node gets a clear error. The
// file imports nothing before the version check, and uses no syntax that is newer than modules.
export const wantedMajor = 24;

const found = process.versions.node;
if (Number(found.split(".")[0]) < wantedMajor) {
  process.stderr.write("binnacle: needs Node " + wantedMajor + " or newer, and this is Node " + found + "\n");
  process.exitCode = 1;
} else {
  // A reload signal may arrive while the rest loads. By default, SIGHUP would end the process, and SIGUSR1 would open
  // Node's inspector. Nothing is read yet, so a reload has nothing to do.
  process.on("SIGHUP", nothingReadYet).on("SIGUSR1", nothingReadYet);
  const loaded = function () {
    process.off("SIGHUP", nothingReadYet);
  };
  void import("./start.ts").then(function (module) {
    return module.start(loaded);
  });
}

function nothingReadYet() {}
