/** A file that a server writes, and the module that writes it. `test/written-files.test.ts` compares it with the code. */
interface WrittenFile {
  readonly writer: string;
  /** The file, or the folder of files, in the directory of `flags`. After each fault of the disk it is written again. */
  readonly path: string;
  /** The flags that make a server write the file into this directory. */
  readonly flags: (directory: string) => readonly string[];
}

const authority = ["--xds-tls", "127.0.0.1:0", "--ca", "self-signed", "--xds-auth", "off"];

/** Every file that a running server writes. Its log is the standard error output, which may be a file. */
export const writtenFiles: Readonly<Record<string, WrittenFile>> = {
  "the readiness file": {
    writer: "src/admin/probes/file-probe.ts",
    path: "ready",
    flags: (directory) => ["--readiness-file", `${directory}/ready`, "--probe-interval", "1s"],
  },
  "the liveness file": {
    writer: "src/admin/probes/file-probe.ts",
    path: "alive",
    flags: (directory) => ["--liveness-file", `${directory}/alive`],
  },
  "the roots of the authority": {
    writer: "src/app/ca/file-root-store.ts",
    path: "state",
    flags: (directory) => [...authority, "--ca-state", `${directory}/state`, "--ca-ttl", "10s", "--ca-max-ttl", "10s"],
  },
  "the refused objects": {
    writer: "src/app/quarantine/file-text-store.ts",
    path: "quarantine.json",
    flags: (directory) => ["--quarantine-store", `${directory}/quarantine.json`],
  },
  "the history": {
    writer: "src/app/history/file-segments.ts",
    path: "history",
    flags: (directory) => ["--history", `${directory}/history`],
  },
  "the log": { writer: "src/app/log/stderr-destination.ts", path: "log", flags: () => [] },
};

/** Modules that end their file at the first fault, and log that. Their own tests fill the disk. */
export const endingWriters = ["src/app/recording/recording-file.ts"];

/** Modules of commands that write files and end. `writing-command.ts` runs each on disks that take no data. */
export const writingCommands = ["src/cli/workload/write-machine-files.ts"];
