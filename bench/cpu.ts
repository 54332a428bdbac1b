/** Milliseconds of the processor since then, of all threads: what a busy machine does not change. */
export function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
