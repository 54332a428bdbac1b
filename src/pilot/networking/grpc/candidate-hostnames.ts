import { shortNamesOf } from "../route/sidecar/short-names.ts";

/**
 * The hostnames that a client in this DNS domain may mean by what it wrote, that very name first. The inverse of the
 * domains of a virtual host.
 */
export function candidateHostnames(written: string, dnsDomain: string): readonly string[] {
  const absolute = written.endsWith(".") ? written.slice(0, -1) : undefined;
  if (absolute !== undefined) return [absolute];
  const labels = dnsDomain.split(".");
  const completed = labels.map((_, first) => `${written}.${labels.slice(first).join(".")}`);
  return [written, ...completed.filter((hostname) => shortNamesOf(hostname, dnsDomain).includes(written))];
}
