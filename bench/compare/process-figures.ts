import { readFileSync } from "node:fs";

/** The CPU time that a process has used so far, in steps of 10 ms. */
export function cpuSecondsOf(pid: number): number {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ").slice(13).map(Number);
  return (user + system) / 100;
}

/** The resident memory of a process as the kernel sees it, in megabytes: now, and the most so far. */
export function memoryOf(pid: number): { readonly nowMb: number; readonly peakMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "mu").exec(status)?.[1]) / 1000;
  return { nowMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM") };
}
